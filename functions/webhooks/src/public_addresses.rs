//! Name resolution for connections that may reach public IP addresses only.
//!
//! A connection uses exactly the addresses that this resolver returned. There is no second resolution, so a name that
//! changes its address after the check (DNS rebinding) gains nothing.

use std::{
    fmt,
    net::{IpAddr, SocketAddr},
    sync::Arc,
};

use lacre_domain::address::is_public;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};

/// The name resolves, but to no address that connections may reach.
#[derive(Debug)]
pub(crate) struct NoPublicAddress;

impl fmt::Display for NoPublicAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name has no public address")
    }
}

impl std::error::Error for NoPublicAddress {}

/// The operating system's resolver.
pub(crate) struct SystemResolver;

impl Resolve for SystemResolver {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            // The port is ignored: the connection sets its own.
            let addresses = tokio::net::lookup_host((name.as_str(), 0)).await?;
            Ok(Box::new(addresses.collect::<Vec<_>>().into_iter()) as Addrs)
        })
    }
}

/// A resolver that drops the addresses that may not be reached.
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

/// Whether an address is public or a loopback address, which the sandbox of a developer's machine may also reach.
pub(crate) fn is_public_or_own(address: IpAddr) -> bool {
    is_public(address) || address.is_loopback()
}
