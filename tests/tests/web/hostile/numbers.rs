//! Unusual numbers that JSON allows.

use lacre_tests::{Answer, service::refusal};
use reqwest::Method;

use super::{Prey, payload_invalid};

/// The ingest with one field's number spelled like this.
async fn spelled(prey: &Prey, field: &str, number: &str) -> Answer {
    let mut submission = prey.submission.clone();
    submission[field] = "HERE".into();
    let body = submission.to_string().replace("\"HERE\"", number);
    let request = prey.service.request(Method::POST, "/web/ingest").header("content-type", "application/json");
    prey.service.send_from_page(request.body(body)).await
}

#[tokio::test]
async fn accepts_whole_numbers_in_any_notation() {
    let prey = Prey::ready().await;
    let mismatch =
        refusal(400, "photo_order não corresponde à foto pendente desta sessão.", Some("web_photo_order_mismatch"));
    for number in ["0", "-1", "2", "4294967297", "9007199254740993", "9223372036854775807", "-9223372036854775808"] {
        assert_eq!(spelled(&prey, "photo_order", number).await.outcome(), mismatch, "{number}");
    }
    let clock = refusal(403, "Relógio do dispositivo fora de sincronia — verifique data e hora", None);
    for number in ["0", "-1", "9223372036854775807", "-9223372036854775808"] {
        assert_eq!(spelled(&prey, "captured_at_ms", number).await.outcome(), clock, "{number}");
    }
    for number in ["1.5", "1e-1", "9223372036854775808", "18446744073709551616", "1e30", "1e999", "\"1\"", "true"] {
        for field in ["photo_order", "captured_at_ms"] {
            assert_eq!(spelled(&prey, field, number).await.outcome(), payload_invalid(), "{field} {number}");
        }
    }
    // JSON does not distinguish 1 from 1.0, nor 0 from -0.
    assert_eq!(spelled(&prey, "photo_order", "-0").await.outcome(), mismatch);
    assert_eq!(spelled(&prey, "photo_order", "2.0").await.outcome(), mismatch);
    let answer = spelled(&prey, "photo_order", "10e-1").await;
    assert_eq!((answer.status, &answer.body["photo_order"]), (200, &1.into()));
}

#[tokio::test]
async fn refuses_positions_out_of_range() {
    let prey = Prey::ready().await;
    for (field, number) in [
        ("gps_lat", "90.00000000000001"),
        ("gps_lat", "1e308"),
        ("gps_lat", "1e999"),
        ("gps_lon", "-180.00000000000003"),
        ("gps_lon", "18446744073709551616"),
        ("gps_accuracy", "-5e-324"),
        ("gps_accuracy", "null"),
        ("gps_lat", "\"-23.5\""),
    ] {
        let expected = refusal(400, "Localização inválida.", None);
        assert_eq!(spelled(&prey, field, number).await.outcome(), expected, "{field} {number}");
    }
    for (field, number) in [("gps_lon", "NaN"), ("gps_accuracy", "Infinity")] {
        assert_eq!(spelled(&prey, field, number).await.outcome(), payload_invalid(), "{field} {number}");
    }
    prey.still_captures().await;
}

/// The smallest double, the largest, one with all digits, and a negative zero: the results return the sent value.
#[tokio::test]
async fn returns_numbers_bit_for_bit() {
    for (latitude, longitude, accuracy) in [
        ("5e-324", "-2.2250738585072014e-308", "1.7976931348623157e308"),
        ("-23.550519999999999", "-46.633308000000003", "12.345678901234567"),
        ("-0.0", "179.99999999999997", "0.1"),
    ] {
        let prey = Prey::ready().await;
        let mut submission = prey.submission.clone();
        for (field, mark) in [("gps_lat", "LAT"), ("gps_lon", "LON"), ("gps_accuracy", "ACC")] {
            submission[field] = mark.into();
        }
        let body = submission.to_string();
        let body = [("\"LAT\"", latitude), ("\"LON\"", longitude), ("\"ACC\"", accuracy)]
            .iter()
            .fold(body, |body, (mark, number)| body.replace(mark, number));
        let request = prey.service.request(Method::POST, "/web/ingest").body(body);
        assert_eq!(prey.service.send_from_page(request).await.status, 200, "{latitude}");

        let photo = prey.service.results(&prey.loaded.token).await.ok()["photos"][0].clone();
        let returned = ["gps_lat", "gps_lon", "gps_accuracy"].map(|field| photo[field].as_f64().unwrap().to_bits());
        let sent = [latitude, longitude, accuracy].map(|number| number.parse::<f64>().unwrap().to_bits());
        assert_eq!(returned, sent, "{latitude} {longitude} {accuracy}");
    }
}
