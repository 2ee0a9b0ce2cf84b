//! The table of a certificate chain, the signer's certificate first.

use lacre_page_text::{clock::in_utc, visible::visible};
use maud::{Markup, html};

use crate::{
    report::Certificate,
    wording::{Words, words},
};

const CAPTION: Words = words("Cadeia de certificados", "Chain of certificates");
const SUBJECT: Words = words("Titular", "Subject");
const ISSUER: Words = words("Emissor", "Issuer");
const SERIAL: Words = words("Número de série", "Serial number");
const VALIDITY: Words = words("Validade (UTC)", "Validity (UTC)");

/// The certificates of a signature. The root is not among them; it belongs to the verifier's trust list.
pub(super) fn table(chain: &[Certificate]) -> Markup {
    html! {
        table.chain {
            caption { (CAPTION) }
            thead {
                tr { @for name in [SUBJECT, ISSUER, SERIAL, VALIDITY] { th scope="col" { (name) } } }
            }
            tbody {
                @for certificate in chain {
                    tr {
                        th scope="row" { (visible(&certificate.subject)) }
                        td { (visible(&certificate.issuer)) }
                        td { code { (visible(&certificate.serial_number)) } }
                        td { (in_utc(&certificate.not_before)) br; (in_utc(&certificate.not_after)) }
                    }
                }
            }
        }
    }
}
