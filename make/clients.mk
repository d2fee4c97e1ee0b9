# Programs of others on the emulated device, as Debian packages them. Not part of `make test`.
#   make clients    install them (as root, by apt-get) and run tests/clients; TAP
.PHONY: clients
clients: all
	@dpkg-query -W cmake hashcat python3-numba >/dev/null 2>&1 || apt-get -o DPkg::Lock::Timeout=300 install -y --no-install-recommends cmake hashcat python3-numba
	@[ -d $(B)/clients/pycuda/usr ] || tests/clients/pycuda/get $(B)/clients/pycuda
	@prove -v --exec '' tests/clients/try-*
