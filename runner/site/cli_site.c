/* `warpbook site`: waits for browsers of this machine. */
#include "site.h"

#include "../../emulator/base/own_options.h"
#include "../base/signals.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* What all connections share. */
typedef struct site_server {
    int listener, dir, port;
    sem_t free; /* connections that may still be opened */
} site_server;

typedef struct site_client {
    site_server *server;
    int socket;
} site_client;

typedef struct site_options {
    int port; /* 0: any that is free */
} site_options;

static void *serve_client(void *of)
{
    OWNED site_client *c = of;
    site_answer(c->socket, c->server->dir, c->server->port);
    close(c->socket);
    sem_post(&c->server->free);
    return NULL;
}

static void accept_client(site_server *s)
{
    const int socket = accept4(s->listener, NULL, NULL, SOCK_CLOEXEC);
    if (socket < 0)
        return;
    site_client *c = xmalloc(sizeof *c);
    *c = (site_client){.server = s, .socket = socket};
    pthread_t thread;
    while (sem_wait(&s->free) != 0 && !caught_signal_number())
        ;
    if (pthread_create(&thread, NULL, serve_client, c) == 0)
        pthread_detach(thread);
    else
        serve_client(c);
}

/* Listen on the loopback address alone. False: a message was printed. */
static bool listen_here(site_server *s, int port)
{
    struct sockaddr_in at = {.sin_family = AF_INET,
                             .sin_port = htons((uint16_t)port),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof at;
    const int yes = 1;
    s->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (s->listener >= 0 &&
        setsockopt(s->listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) == 0 &&
        bind(s->listener, (struct sockaddr *)&at, sizeof at) == 0 &&
        listen(s->listener, SITE_MAX_CLIENTS) == 0 &&
        getsockname(s->listener, (struct sockaddr *)&at, &len) == 0) {
        s->port = ntohs(at.sin_port);
        return true;
    }
    fprintf(stderr, "warpbook: cannot listen on port %d: %s; choose another with --port\n", port,
            strerror(errno));
    return false;
}

static bool set_port(void *into, const char *text, const char *file)
{
    (void)file;
    const bool number = *text && strspn(text, "0123456789") == strlen(text) && strlen(text) < 6;
    if (number && atoi(text) < 65536) {
        ((site_options *)into)->port = atoi(text);
        return true;
    }
    fprintf(stderr, "warpbook: --port is \"%s\": give a number from 0 (any) to 65535\n", text);
    return false;
}

static int print_site_help(void)
{
    printf("usage: warpbook site [--port N] [DIR]\n"
           "\n"
           "Serves the pages in DIR (build/site, which `make site` writes) to browsers of this\n"
           "machine, on 127.0.0.1 alone, until it is interrupted.\n"
           "\n"
           "  --port N   the port, %d by default; 0: any that is free\n",
           SITE_DEFAULT_PORT);
    return EXIT_PASS;
}

static void serve(site_server *s, const char *dir)
{
    printf("%s: http://127.0.0.1:%d/ (until Ctrl-C)\n", dir, s->port);
    fflush(stdout);
    install_signal_handlers();
    while (!caught_signal_number()) {
        struct pollfd ready = {.fd = s->listener, .events = POLLIN};
        if (poll(&ready, 1, -1) > 0)
            accept_client(s);
    }
}

int cli_site(session *d)
{
    static const own_option site_option_list[] = {{"port", OWN_VALUE, 0, set_port}, {0}};
    site_options o = {.port = SITE_DEFAULT_PORT};
    bool help = false;
    char **words = d->options.words;
    words[d->options.word_count] = NULL;
    words = own_options_read("site", site_option_list, words, &o, &help);
    if (help)
        return print_site_help();
    if (!words || (*words && words[1])) {
        if (words)
            fputs("usage: warpbook site [--port N] [DIR]\n", stderr);
        return EXIT_USAGE;
    }
    const char *dir =
        *words ? *words : arena_printf(&d->installation.memory, "%s/site", d->installation.build);
    site_server s = {.dir = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    const int index = s.dir < 0 ? -1 : site_open(s.dir, "");
    if (index < 0)
        return report_failure(EXIT_LACKS, "%s has no index.html: `make site` writes one", dir);
    close(index);
    sem_init(&s.free, 0, SITE_MAX_CLIENTS);
    if (!listen_here(&s, o.port))
        return EXIT_FAIL;
    serve(&s, dir);
    return EXIT_PASS;
}
