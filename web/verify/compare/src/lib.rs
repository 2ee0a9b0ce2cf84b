//! The comparison of a copy with its original as a WebAssembly module for the verification page.
//!
//! The page writes both files into buffers of the module's memory, calls [`run`], and reads the outputs. The module
//! has no imports, and its exports are those of the verifier's module.

mod comparison;

use std::cell::RefCell;

use comparison::{Inputs, Outputs};

/// Inputs of the next run and outputs of the last one. A module has a single thread.
#[derive(Default)]
struct State {
    inputs: Inputs,
    outputs: Outputs,
}

thread_local! {
    static STATE: RefCell<State> = RefCell::new(State::default());
}

/// Reserves the buffer of an input and returns its address: 0 the copy, 1 the original. The caller writes the bytes
/// there before the next call.
#[allow(unsafe_code)] // An exported name must not be mangled.
#[unsafe(no_mangle)]
pub extern "C" fn input(slot: usize, length: usize) -> *mut u8 {
    STATE.with_borrow_mut(|state| {
        let buffer = state.inputs.buffer(slot);
        *buffer = vec![0; length];
        buffer.as_mut_ptr()
    })
}

/// Compares the two pictures and consumes the inputs. Returns 0 if they were compared, and 1 if a file is no picture
/// for a comparison; output 0 then names it.
#[allow(unsafe_code)] // An exported name must not be mangled.
#[unsafe(no_mangle)]
pub extern "C" fn run() -> u32 {
    STATE.with_borrow_mut(|state| {
        state.outputs = Outputs::default();
        match comparison::run(std::mem::take(&mut state.inputs)) {
            Ok(outputs) => {
                state.outputs = outputs;
                0
            }
            Err(fault) => {
                state.outputs = Outputs::of_fault(&fault);
                1
            }
        }
    })
}

/// Returns the address of an output of the last run: 0 the result as JSON, 1 the pixels of the original as RGBA, 2
/// those of the copy.
#[allow(unsafe_code)] // An exported name must not be mangled.
#[unsafe(no_mangle)]
pub extern "C" fn output(slot: usize) -> *const u8 {
    STATE.with_borrow(|state| state.outputs.get(slot).as_ptr())
}

/// Returns the length of an output in bytes.
#[allow(unsafe_code)] // An exported name must not be mangled.
#[unsafe(no_mangle)]
pub extern "C" fn output_length(slot: usize) -> usize {
    STATE.with_borrow(|state| state.outputs.get(slot).len())
}
