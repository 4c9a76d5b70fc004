import fc from 'fast-check'
import type { RawRequest } from './raw-requests.ts'

/** A request as it is sent over the wire. */
export interface Wire {
  readonly text: string
  /** The request is incomplete, and the client disconnects. */
  readonly isCutShort: boolean
}

/** Writes a well-formed request. */
export function writeRequest(host: string, { method, target, headers, body }: RawRequest): string {
  const lines = [
    ['Host', host],
    ...headers,
    ...(body === '' && method === 'GET' ? [] : [['Content-Length', String(body.length)]]),
  ]
  return `${method} ${target} HTTP/1.1\r\n${lines.map((line) => `${line.join(': ')}\r\n`).join('')}\r\n${body}`
}

type Breakage = (text: string, request: RawRequest) => Wire

const sendWhole = (text: string): Wire => ({ text, isCutShort: false })
const cut = (text: string): Wire => ({ text, isCutShort: true })
/** Announces a body that never comes: a server that waited for it would wait forever. */
const announce =
  (line: string): Breakage =>
  (text, { body }) => ({ text: text.replace('\r\n', () => `\r\n${line}\r\n`), isCutShort: body === '' })
const insertLine = (line: string) => (text: string) => sendWhole(text.replace('\r\n', () => `\r\n${line}\r\n`))
const chunk = (body: string) => `${body.length.toString(16)}\r\n${body}\r\n`

/** Sends the body in chunks, well-formed or not. */
const chunked =
  (encoding: string, write: (body: string) => string): Breakage =>
  (_, { method, target, headers, body }) =>
    sendWhole(
      writeRequest('localhost', { method, target, headers: [...headers, ['Transfer-Encoding', encoding]], body: '' })
        .replace(/Content-Length: 0\r\n/, '')
        .concat(write(body)),
    )

const breakages: Readonly<Record<string, Breakage>> = {
  'no host': (text) => sendWhole(text.replace(/Host: [^\r]*\r\n/, '')),
  'two hosts': insertLine('Host: evil.example'),
  'an empty host': (text) => sendWhole(text.replace(/Host: [^\r]*/, 'Host: ')),
  'a length twice': announce('Content-Length: 1'),
  'a length below zero': insertLine('Content-Length: -1'),
  'a length beyond any number': announce(`Content-Length: ${'9'.repeat(40)}`),
  'both a length and chunks': announce('Transfer-Encoding: chunked'),
  'an unknown transfer encoding': announce('Transfer-Encoding: x'),
  chunks: chunked('chunked', (body) => `${body === '' ? '' : chunk(body)}0\r\n\r\n`),
  'chunks with extensions and a trailer': chunked(
    'chunked',
    (body) => `${body === '' ? '' : chunk(body).replace('\r\n', ';a=b\r\n')}0\r\nX: y\r\n\r\n`,
  ),
  'chunks with an invalid length': chunked('chunked', (body) => `zz\r\n${body}\r\n0\r\n\r\n`),
  'chunks longer than they say': chunked('chunked', (body) => `1\r\n${body}xx\r\n0\r\n\r\n`),
  'chunked twice': chunked('chunked, chunked', (body) => `${body === '' ? '' : chunk(body)}0\r\n\r\n`),
  'HTTP/1.0': (text) => sendWhole(text.replace('HTTP/1.1', 'HTTP/1.0')),
  'HTTP/2.0': (text) => sendWhole(text.replace('HTTP/1.1', 'HTTP/2.0')),
  'HTTP/9': (text) => sendWhole(text.replace('HTTP/1.1', 'HTTP/9')),
  'no version': (text) => cut(text.replace(' HTTP/1.1', '')),
  'only line feeds': (text) => cut(text.replaceAll('\r\n', '\n')),
  'a folded header': insertLine('X-Folded: a\r\n b'),
  'a space before the colon': insertLine('X-Blank : a'),
  'a header without a name': insertLine(': a'),
  'a header without a colon': insertLine('nothing'),
  'a NUL in a header': insertLine('X-Nul: a\0b'),
  'a header of 20,000 bytes': insertLine(`X-Long: ${'x'.repeat(20_000)}`),
  'two thousand headers': insertLine(Array.from({ length: 2000 }, (_, at) => `a${at}: b`).join('\r\n')),
  'a target of 70,000 bytes': (text) => sendWhole(text.replace(' /', () => ` /${'x'.repeat(70_000)}/`)),
  'a target with bytes beyond ASCII': (text) => sendWhole(text.replace(' /', ' /\xff\xe9/')),
  'a target with a space': (text) => sendWhole(text.replace(' /', ' /a b/')),
  'an unknown method': (text) => sendWhole(text.replace(/^\S+/, 'FETCH')),
  CONNECT: (text) => cut(text.replace(/^\S+ \S+/, 'CONNECT evil.example:443')),
  'a TLS ClientHello': () => sendWhole('\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'),
  'the HTTP/2 preface': () => sendWhole('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  'a second request after it': (text) => sendWhole(`${text}GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n`),
  'half of it': (text) => cut(text.slice(0, text.length / 2)),
  'all but the last byte': (text) => cut(text.slice(0, -1)),
  'nothing at all': () => cut(''),
}

/** A well-formed request, and a way to break it. */
export function anyBreakage(request: fc.Arbitrary<RawRequest>) {
  return fc.record({ request, breakage: fc.constantFrom(...Object.keys(breakages)) })
}

/** Writes a request broken in the given way. */
export function writeBroken(host: string, request: RawRequest, breakage: string): Wire {
  const text = writeRequest(host, request)
  return breakages[breakage]?.(text, request) ?? sendWhole(text)
}
