//! The sockets of switch and hosts.

use crate::Error;
use crate::namespace::{Namespaces, port_name};
use crate::packet::HOP_LIMIT;
use nix::cmsg_space;
use nix::sys::socket::sockopt::{IpRecvTos, Ipv4RecvTtl, Ipv4Tos, Ipv4Ttl, RcvBufForce, SndBufForce};
use nix::sys::socket::{
    AddressFamily, ControlMessageOwned, LinkAddr, MsgFlags, SockFlag, SockProtocol, SockType, SockaddrIn,
    bind, recv, recvmsg, send, sendto, setsockopt, socket,
};
use std::io::IoSliceMut;
use std::net::Ipv4Addr;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};

/// Room for bursts in the kernel.
const BUFFER: usize = 8 << 20;
/// Frames or datagrams that are read from one socket before others have their turn.
pub(crate) const BURST: usize = 32;

/// The switch's end of a host's cable: whole frames, as they are.
#[derive(Debug)]
pub(crate) struct PortSocket(OwnedFd);

impl PortSocket {
    /// Opens the end of a host's cable in the switch's namespace.
    pub(crate) fn open(namespaces: &Namespaces, host: u32) -> Result<Self, Error> {
        namespaces.within(&namespaces.switch(), || {
            let failed = |error| Error::system("packet socket", error);
            // Of IPv4 frames only those that come in are seen, not those that we send.
            let flags = SockFlag::SOCK_NONBLOCK | SockFlag::SOCK_CLOEXEC;
            let fd =
                socket(AddressFamily::Packet, SockType::Raw, flags, SockProtocol::EthIp).map_err(failed)?;
            bind(fd.as_raw_fd(), &device(&port_name(host))?).map_err(failed)?;
            setsockopt(&fd, RcvBufForce, &BUFFER).map_err(failed)?;
            setsockopt(&fd, SndBufForce, &BUFFER).map_err(failed)?;
            Ok(Self(fd))
        })
    }

    /// Reads a frame, if there is one.
    pub(crate) fn receive(&self, buffer: &mut [u8]) -> Option<usize> {
        recv(self.0.as_raw_fd(), buffer, MsgFlags::empty()).ok()
    }

    /// Sends a frame; `false` if the kernel has no room for it.
    pub(crate) fn send(&self, frame: &[u8]) -> bool {
        send(self.0.as_raw_fd(), frame, MsgFlags::empty()).is_ok()
    }
}

impl AsFd for PortSocket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// The address by which a packet socket is bound to a device of this namespace.
fn device(name: &str) -> Result<LinkAddr, Error> {
    let mut all = nix::ifaddrs::getifaddrs().map_err(|error| Error::system("getifaddrs", error))?;
    let found = all.find_map(|one| {
        let address = one.address.as_ref()?.as_link_addr().copied();
        address.filter(|_| one.interface_name == name)
    });
    found.ok_or_else(|| Error::Refused(format!("the switch's device {name} is not there")))
}

/// A UDP socket of a host.
#[derive(Debug)]
pub(crate) struct HostSocket(OwnedFd);

/// What came with a datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Datagram {
    pub(crate) length: usize,
    /// The low two bits of the traffic class.
    pub(crate) ecn: u8,
    /// Switches passed.
    pub(crate) hops: u8,
}

impl HostSocket {
    /// Opens a socket in a host's namespace, bound to this address; what it sends says that it may be marked, or not.
    pub(crate) fn open(
        namespaces: &Namespaces,
        host: u32,
        address: (Ipv4Addr, u16),
        may_be_marked: bool,
    ) -> Result<Self, Error> {
        namespaces.within(&namespaces.host(host), || {
            let failed = |error| Error::system("UDP socket", error);
            let flags = SockFlag::SOCK_NONBLOCK | SockFlag::SOCK_CLOEXEC;
            let fd = socket(AddressFamily::Inet, SockType::Datagram, flags, None).map_err(failed)?;
            bind(fd.as_raw_fd(), &inet(address)).map_err(failed)?;
            setsockopt(&fd, RcvBufForce, &BUFFER).map_err(failed)?;
            setsockopt(&fd, SndBufForce, &BUFFER).map_err(failed)?;
            setsockopt(&fd, IpRecvTos, &true).map_err(failed)?;
            setsockopt(&fd, Ipv4RecvTtl, &true).map_err(failed)?;
            setsockopt(&fd, Ipv4Ttl, &i32::from(HOP_LIMIT)).map_err(failed)?;
            setsockopt(&fd, Ipv4Tos, &(if may_be_marked { 0b10 } else { 0 })).map_err(failed)?;
            Ok(Self(fd))
        })
    }

    /// Reads a datagram, if there is one.
    pub(crate) fn receive(&self, buffer: &mut [u8]) -> Option<Datagram> {
        let mut slices = [IoSliceMut::new(buffer)];
        let mut space = cmsg_space!(i32, i32);
        let message =
            recvmsg::<()>(self.0.as_raw_fd(), &mut slices, Some(&mut space), MsgFlags::empty()).ok()?;
        let (mut ecn, mut limit) = (0, HOP_LIMIT);
        for control in message.cmsgs().into_iter().flatten() {
            match control {
                ControlMessageOwned::Ipv4Tos(class) => ecn = class & 0b11,
                ControlMessageOwned::Ipv4Ttl(left) => limit = u8::try_from(left).unwrap_or(0),
                _ => {}
            }
        }
        Some(Datagram { length: message.bytes, ecn, hops: HOP_LIMIT.saturating_sub(limit) })
    }

    /// Sends a datagram; `false` if the kernel has no room for it.
    pub(crate) fn send(&self, bytes: &[u8], to: (Ipv4Addr, u16)) -> bool {
        sendto(self.0.as_raw_fd(), bytes, &inet(to), MsgFlags::empty()).is_ok()
    }
}

impl AsFd for HostSocket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

fn inet((address, port): (Ipv4Addr, u16)) -> SockaddrIn {
    let [a, b, c, d] = address.octets();
    SockaddrIn::new(a, b, c, d, port)
}
