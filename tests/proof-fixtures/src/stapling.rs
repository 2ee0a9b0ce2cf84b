//! A claim certificate that names an OCSP responder, and the responder, by `openssl`.

use p256::{ecdsa::SigningKey, pkcs8::DecodePrivateKey};

use crate::{
    EcKey, RsaKey, Sandbox,
    authority::Authority,
    ca::{Ca, P_256, RSA, hours},
};

const ANSWERS: &str = "keyUsage=critical,digitalSignature\nextendedKeyUsage=OCSPSigning\nnoCheck=ignored\n\
    subjectKeyIdentifier=hash\nauthorityKeyIdentifier=keyid\n";

/// The shared sandbox with a claim certificate of its own: of the authority `issuing`, which names the OCSP responder
/// `responder`. All are valid for a month.
pub struct Stapling {
    pub ca: Ca,
    pub sandbox: Sandbox,
}

impl Stapling {
    /// The extensions of the authority.
    pub const AUTHORITY: &str = "basicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign,cRLSign\n\
        subjectKeyIdentifier=hash\n";
    /// The extensions of the claim certificate, which names the responder.
    pub const CLAIM: &str = "basicConstraints=critical,CA:FALSE\nkeyUsage=critical,digitalSignature,nonRepudiation\n\
        extendedKeyUsage=1.3.6.1.4.1.62558.2.1,emailProtection\nsubjectKeyIdentifier=hash\nauthorityKeyIdentifier=keyid\n\
        authorityInfoAccess=caIssuers;URI:http://ca.example.com/,OCSP;URI:http://ocsp.example.com/claims\n";
    /// The serial numbers and names of the claim certificate and of another one.
    pub const CERTIFICATES: [(&str, &str); 2] = [("3A", "claim"), ("3B", "other")];
    /// The extensions of the certificate `stranger`, which may sign, but not answer for the authority.
    pub const SIGNS: &str = "keyUsage=critical,digitalSignature\nauthorityKeyIdentifier=keyid\n";

    pub fn new() -> Self {
        let (ca, next_month) = (Ca::new(), hours(720));
        ca.issue("root", "issuing", RSA, Self::AUTHORITY, "30", next_month);
        ca.issue("issuing", "claim", P_256, Self::CLAIM, "3A", next_month);
        ca.issue("issuing", "other", P_256, Self::CLAIM, "3B", next_month);
        ca.issue("issuing", "responder", RSA, ANSWERS, "3C", next_month);
        ca.issue("issuing", "stranger", RSA, Self::SIGNS, "3D", next_month);
        ca.index(&Self::CERTIFICATES, None);
        let shared = Sandbox::shared();
        let mut profile = shared.profile.clone();
        profile.claim.chain_pem = ca.read("claim.pem") + &ca.read("issuing.pem");
        let sandbox = Sandbox {
            profile,
            rsa: RsaKey(shared.rsa.0.clone()),
            ec: EcKey(SigningKey::from_pkcs8_pem(&ca.read("claim.key")).unwrap()),
            anchors_pem: ca.read("root.pem") + &shared.anchors_pem + &Authority::shared().anchors_pem,
            claim_anchor_pem: ca.read("root.pem"),
            seal_anchor_pem: shared.seal_anchor_pem.clone(),
        };
        Self { ca, sandbox }
    }

    /// The response "good" of `openssl` about the claim certificate, current for the given minutes. It embeds the
    /// responder's certificate and that of its issuer, which the C2PA library needs.
    pub fn answer(&self, minutes: &str) -> Vec<u8> {
        self.ca.answer("issuing", "claim", "responder", &["-nmin", minutes, "-rother", "issuing.pem"])
    }
}
