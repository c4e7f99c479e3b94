//! A tree of this machine, laid into a box.

use seatrial_sandbox::Sandbox;
use seatrial_source::SourceTree;

use crate::SuiteError;

/// Streams a tree into a folder of a box.
pub(crate) fn lay(source: &SourceTree, folder: &str, sandbox: &mut dyn Sandbox) -> Result<(), SuiteError> {
    let (mut reader, mut writer) = std::io::pipe()?;
    std::thread::scope(|scope| {
        let packing = scope.spawn(move || source.write_tar(&mut writer));
        let laid = sandbox.write_tree(folder, &mut reader);
        // Whoever stopped reading early must not leave the packer waiting for ever.
        drop(reader);
        let packed = packing
            .join()
            .map_err(|_| std::io::Error::other("packing the source for the box broke off"))?;
        // The box reports its own reason first: the packer then only sees a closed pipe.
        laid?;
        packed?;
        Ok(())
    })
}
