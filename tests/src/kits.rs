//! Kits of the client whose keys the service's variables have, and sessions that use them.

use lacre_administration::Error;
use lacre_domain::{Clock, Environment, IssuedNonce, Nonce, Origin, SessionToken};
use lacre_storage::Sessions;
use reqwest::Method;
use serde_json::{Value, json};

use crate::{Answer, Service, service::Loaded};

/// A kit of these steps, each with whether it is optional.
pub fn kit(name: &str, steps: &[(&str, bool)]) -> Value {
    let step = |(id, optional): &(&str, bool)| {
        json!({
            "id": id, "title": { "pt-BR": format!("Foto {id}"), "en": format!("Photo {id}") },
            "instruction": { "pt-BR": format!("Fotografe {id} de perto.") }, "framing": "landscape", "optional": optional,
            "outline": [{ "d": "M100 310H900V440H100Z" }],
        })
    };
    json!({ "name": name, "steps": steps.iter().map(step).collect::<Vec<_>>() })
}

impl Service {
    /// Puts a kit of this client in the sandbox, unless it is the current version already.
    pub async fn put_kit(&self, kit: &Value) {
        let kits = self.administration().kits;
        match kits.put(&self.client().await, Environment::Sandbox, kit.to_string().as_bytes()).await {
            Ok(_) | Err(Error::Refused(_)) => {}
            Err(error) => panic!("{error}"),
        }
    }

    /// A nonce that a page of this origin got in a session, without a load.
    pub async fn issued_to(&self, token: &str, origin: &str) -> Loaded {
        let (sessions, token) = (Sessions::new(self.connection()), SessionToken::parse(token).unwrap());
        let now = self.clock.now();
        let session = sessions.read(&token, now).await.unwrap().unwrap();
        let nonce = Nonce::from_entropy(lacre_storage::entropy());
        let issued = IssuedNonce {
            session: token.hash().as_str().to_owned(),
            origin: Origin::parse(origin).unwrap(),
            license_id: session.license_id.clone(),
            image_key: "x.jpg".to_owned(),
            issued_at: now,
            consumed_by: None,
        };
        sessions.issue_nonce(&nonce, &issued, session.expires_at).await.unwrap();
        let body = json!({ "nonce": nonce.expose(), "photo_order": session.pending_order(), "image_key": "x.jpg" });
        Loaded { token: token.expose(), body }
    }

    /// The body of a request for a session of some steps.
    pub fn order_of_steps(profile: &str, steps: &Value) -> Value {
        let mut order = Self::hosted_order(profile);
        order["steps"] = steps.clone();
        order
    }

    /// `POST {capture_url}/web/skip` from the hosted page.
    pub async fn skip_with(&self, body: &Value) -> Answer {
        self.send_from_hosted_page(self.hosted_request(Method::POST, "/web/skip").json(body)).await
    }

    /// Skips the pending photo of a load.
    pub async fn skip(&self, loaded: &Loaded) -> Answer {
        self.skip_with(&loaded.skip()).await
    }
}

impl Loaded {
    /// The body that skips the pending photo.
    pub fn skip(&self) -> Value {
        json!({ "token": self.token, "nonce": self.body["nonce"], "photo_order": self.body["photo_order"] })
    }

    /// The photo that an ingest or a skip names as the next one, with what else the load had.
    pub fn followed_by(&self, next: &Value) -> Self {
        let mut body = self.body.clone();
        body.as_object_mut().unwrap().extend(next.as_object().unwrap().clone());
        Self { token: self.token.clone(), body }
    }
}
