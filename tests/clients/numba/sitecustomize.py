"""What numba 0.56 needs to run with toolkit 13; every Python of try-numba reads this first."""
import sys

if sys.executable.startswith("/usr/"):
    from llvmlite import ir
    from numba.cuda.cudadrv import driver, nvvm

    def add_ir_version(module):
        """numba says 1.6, which NVVM since toolkit 12 refuses: "IR version 1.6 incompatible with current version 2.0"."""
        version = [ir.IntType(32)(part) for part in nvvm.NVVM().get_ir_version()]
        module.add_named_metadata("nvvmir.version", module.add_metadata(version))

    def find_api(self, name, find=driver.Driver._find_api):
        """numba takes NAME_v2 where there is one; of these, which driver 13 added, it takes a context besides."""
        return getattr(self.lib, name) if name in ("cuCtxGetDevice", "cuCtxSynchronize") else find(self, name)

    nvvm.add_ir_version = add_ir_version
    driver.Driver._find_api = find_api
