//! The verifier as a WebAssembly module for the verification page.
//!
//! The page writes the inputs into buffers of the module's memory, calls [`run`], and reads the outputs. The module
//! has no imports, thus no clock, no randomness and no network.

mod check;

use std::cell::RefCell;

use check::{Inputs, Outputs};

/// Inputs of the next run and outputs of the last one. A module has a single thread.
#[derive(Default)]
struct State {
    inputs: Inputs,
    outputs: Outputs,
}

thread_local! {
    static STATE: RefCell<State> = RefCell::new(State::default());
}

/// Reserves the buffer of an input and returns its address: 0 the photo, 1 the separate manifest, 2 the options as
/// JSON, 3 the proof that the capture is in a public log, 4 and 5 the evidence records of that proof's timestamp and of a
/// second one, 6 evidence bundles, one after the other. The caller writes the bytes there before the next call.
#[allow(unsafe_code)] // An exported name must not be mangled.
#[unsafe(no_mangle)]
pub extern "C" fn input(slot: usize, length: usize) -> *mut u8 {
    STATE.with_borrow_mut(|state| {
        if slot == 0 {
            state.outputs = Outputs::default();
        }
        let buffer = state.inputs.buffer(slot);
        *buffer = vec![0; length];
        buffer.as_mut_ptr()
    })
}

/// Checks the photo and consumes the inputs. Returns 0 if it was checked, and 1 if an option, the manifest or a bundle is
/// invalid; output 0 then names it.
#[allow(unsafe_code)] // An exported name must not be mangled.
#[unsafe(no_mangle)]
pub extern "C" fn run() -> u32 {
    STATE.with_borrow_mut(|state| {
        state.outputs = Outputs::default();
        match check::run(std::mem::take(&mut state.inputs)) {
            Ok(outputs) => {
                state.outputs = outputs;
                0
            }
            Err(error) => {
                state.outputs = Outputs::of_error(&error);
                1
            }
        }
    })
}

/// Writes the version and the built-in trust lists to output 0.
#[allow(unsafe_code)] // An exported name must not be mangled.
#[unsafe(no_mangle)]
pub extern "C" fn lists() {
    STATE.with_borrow_mut(|state| state.outputs = Outputs::of_lists());
}

/// Returns the address of an output of the last run: 0 the result as JSON, 1 the sections as HTML, 2 the report as
/// HTML, 3 the frame, 4 the signature, 5 the manifest, 6 the timestamp of the signature, 7 the timestamp of the
/// claim.
#[allow(unsafe_code)] // An exported name must not be mangled.
#[unsafe(no_mangle)]
pub extern "C" fn output(slot: usize) -> *const u8 {
    STATE.with_borrow(|state| state.outputs.get(slot).as_ptr())
}

/// Returns the length of an output in bytes; 0 if the photo has no such part.
#[allow(unsafe_code)] // An exported name must not be mangled.
#[unsafe(no_mangle)]
pub extern "C" fn output_length(slot: usize) -> usize {
    STATE.with_borrow(|state| state.outputs.get(slot).len())
}
