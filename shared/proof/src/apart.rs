//! DER values that are decoded from their own bytes.
//!
//! `der` compiles a decoder once for each depth at which a value lies in others. For certificates, names and extensions
//! that is most of the code, which the verification page downloads. [`Apart`] has one decoder at all depths.

use std::cmp::Ordering;

use der::{Decode, EncodeValue, Length, Reader, Tag, Tagged, ValueOrd, Writer};

/// A value inside others, which is decoded as if it stood alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Apart<T>(pub T);

impl<'a, T: Decode<'a>> Decode<'a> for Apart<T> {
    fn decode<R: Reader<'a>>(reader: &mut R) -> der::Result<Self> {
        T::from_der(reader.tlv_bytes()?).map(Self)
    }
}

impl<T: Tagged> Tagged for Apart<T> {
    fn tag(&self) -> Tag {
        self.0.tag()
    }
}

impl<T: EncodeValue> EncodeValue for Apart<T> {
    fn value_len(&self) -> der::Result<Length> {
        self.0.value_len()
    }

    fn encode_value(&self, writer: &mut impl Writer) -> der::Result<()> {
        self.0.encode_value(writer)
    }
}

impl<T: ValueOrd> ValueOrd for Apart<T> {
    fn value_cmp(&self, other: &Self) -> der::Result<Ordering> {
        self.0.value_cmp(&other.0)
    }
}
