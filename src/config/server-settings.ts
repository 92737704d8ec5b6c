// The settings of the HTTP server: a part of the table in settings.ts.
import { longestMs, mebibyte } from './measures.ts'
import { integer, list, type Setting, text } from './setting.ts'
import { trustedProxies } from './trusted-proxies.ts'

export const serverSettings = {
  'server.basePath': text({
    default: '',
    pattern: /^(\/[A-Za-z0-9._~-]+)*$/,
    allowed: 'a path such as /tidemark, with no slash at its end',
    description: 'The path before every path of the service, such as /tidemark.',
  }),
  'server.tlsCertFile': text({
    default: '',
    description:
      'A PEM file of the certificate to speak HTTPS with, those that vouch for it behind it. It needs `server.tlsKeyFile`. A new pair of files is taken without a restart.',
  }),
  'server.tlsKeyFile': text({
    default: '',
    description: 'A PEM file of its private key, without a passphrase.',
  }),
  'server.hosts': list({
    pattern: /^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$/,
    allowed: 'a list of names without ports, such as data.example',
    description:
      'The names by which callers reach the service where `access.consumption` is `public`. By an address and by `localhost` they always do. By any other name a request needs a key: it may be that of a web page.',
  }),
  'server.trustProxy': trustedProxies({
    description:
      "Which proxies are believed when they name the caller's address (`X-Forwarded-For`): so many, one behind the other, or those at these addresses. `true` is 1. A number is only for a server that nobody reaches except through the proxies.",
  }),
  'server.timeZones': text({
    default: '',
    defaultText: "the system's `/usr/share/zoneinfo` where it is newer than the rules of Node.js, else those",
    description:
      'A zoneinfo folder, such as `/usr/share/zoneinfo`: all clocks of time zones follow its files. It is read at the start.',
  }),
  'server.headerBytes': integer({
    default: 16_384,
    unit: 'bytes',
    min: 1024,
    max: mebibyte,
    description: "The largest size of a request's headers.",
  }),
  'server.headersMs': integer({
    default: 30_000,
    unit: 'milliseconds',
    min: 1,
    max: longestMs,
    description: 'How long the headers of a request may take to arrive.',
  }),
  'server.requestMs': integer({
    default: 300_000,
    unit: 'milliseconds',
    min: 1,
    max: longestMs,
    description: 'How long a whole request may take to arrive.',
  }),
  'server.keepAliveMs': integer({
    default: 72_000,
    unit: 'milliseconds',
    min: 1,
    max: longestMs,
    description: 'How long a connection is kept open for the next request.',
  }),
  'server.shutdownMs': integer({
    default: 10_000,
    unit: 'milliseconds',
    min: 0,
    max: longestMs,
    description: 'How long requests in flight may take after the server is told to stop.',
  }),
} satisfies Record<string, Setting>
