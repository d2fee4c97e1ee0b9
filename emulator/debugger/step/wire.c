/* Messages between the processes of the step debugger. */
#include "orders.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

const char *const step_type_name[STEP_TYPE_COUNT] = {"",    "u8",  "s8",  "u16", "s16", "u32",
                                                     "s32", "u64", "s64", "f32", "f64"};

uint32_t step_type_bytes(step_type t)
{
    static const uint8_t bytes[STEP_TYPE_COUNT] = {4, 1, 1, 2, 2, 4, 4, 8, 8, 4, 8};
    return bytes[t];
}

bool step_open_socket_pair(int end[2])
{
    const int cap = 4 * STEP_MAX_PACKET_BYTES;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, end))
        return false;
    setsockopt(end[0], SOL_SOCKET, SO_SNDBUF, &cap, sizeof cap);
    setsockopt(end[1], SOL_SOCKET, SO_SNDBUF, &cap, sizeof cap);
    return true;
}

bool step_send_message(int to, step_message kind, const void *bytes, size_t size, int descriptor)
{
    struct iovec part[2] = {{&kind, sizeof kind}, {(void *)(uintptr_t)bytes, size}};
    _Alignas(struct cmsghdr) char extra[CMSG_SPACE(sizeof(int))] = {0};
    struct msghdr m = {.msg_iov = part, .msg_iovlen = 2};
    if (descriptor >= 0) {
        m.msg_control = extra;
        m.msg_controllen = sizeof extra;
        struct cmsghdr *c = CMSG_FIRSTHDR(&m);
        *c = (struct cmsghdr){
            .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(sizeof(int))};
        memcpy(CMSG_DATA(c), &descriptor, sizeof descriptor);
    }
    ssize_t n;
    do {
        n = sendmsg(to, &m, MSG_NOSIGNAL);
    } while (n < 0 && errno == EINTR);
    return n == (ssize_t)(sizeof kind + size);
}

size_t step_receive_message(int from, step_message *kind, void *bytes, size_t cap, int *descriptor)
{
    struct iovec part[2] = {{kind, sizeof *kind}, {bytes, cap}};
    _Alignas(struct cmsghdr) char extra[CMSG_SPACE(sizeof(int))] = {0};
    struct msghdr m = {
        .msg_iov = part, .msg_iovlen = 2, .msg_control = extra, .msg_controllen = sizeof extra};
    ssize_t n;
    *descriptor = -1;
    do {
        n = recvmsg(from, &m, MSG_CMSG_CLOEXEC);
    } while (n < 0 && errno == EINTR);
    const struct cmsghdr *c = n > 0 ? CMSG_FIRSTHDR(&m) : NULL;
    if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS)
        memcpy(descriptor, CMSG_DATA(c), sizeof *descriptor);
    return n > 0 ? (size_t)n : 0;
}

bool step_is_peer_closed(int from)
{
    struct pollfd p = {.fd = from, .events = 0};
    return poll(&p, 1, 0) > 0 && p.revents & (POLLHUP | POLLERR | POLLNVAL);
}
