//! Name resolution for connections that may reach public addresses only.
//!
//! A connection uses the addresses that this resolver returned, so a name that changes its address between a check and the
//! connection gains nothing: there is one resolution.

use std::{
    fmt,
    net::{IpAddr, SocketAddr},
    sync::Arc,
};

use lacre_domain::address::is_public;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};

/// The name has addresses, and none of them may be reached.
#[derive(Debug)]
pub(crate) struct NoPublicAddress;

impl fmt::Display for NoPublicAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name has no public address")
    }
}

impl std::error::Error for NoPublicAddress {}

/// The system's resolver.
pub(crate) struct SystemResolver;

impl Resolve for SystemResolver {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            // The port is the connection's.
            let addresses = tokio::net::lookup_host((name.as_str(), 0)).await?;
            Ok(Box::new(addresses.collect::<Vec<_>>().into_iter()) as Addrs)
        })
    }
}

/// A resolver that keeps back the addresses that are not admitted.
pub(crate) struct AdmittedAddresses {
    pub(crate) resolver: Arc<dyn Resolve>,
    pub(crate) admits: fn(IpAddr) -> bool,
}

impl Resolve for AdmittedAddresses {
    fn resolve(&self, name: Name) -> Resolving {
        let (resolving, admits) = (self.resolver.resolve(name), self.admits);
        Box::pin(async move {
            let admitted: Vec<SocketAddr> = resolving.await?.filter(|address| admits(address.ip())).collect();
            match admitted.is_empty() {
                true => Err(NoPublicAddress.into()),
                false => Ok(Box::new(admitted.into_iter()) as Addrs),
            }
        })
    }
}

/// What the sandbox of a developer's machine admits beside.
pub(crate) fn is_public_or_own(address: IpAddr) -> bool {
    is_public(address) || address.is_loopback()
}
