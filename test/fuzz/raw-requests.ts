import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { routes } from '../../contract/routes.ts'
import { brokenKey } from './broken-keys.ts'
import { anyJsonText } from './json-text.ts'

/** Generators of requests. All text is Latin-1: one character per byte. */

export interface RawRequest {
  readonly method: string
  readonly target: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: string
}

/** Keys and ids that exist in the service, for requests that come close to valid ones. */
export interface KnownValues {
  readonly keys: readonly string[]
  readonly refusedKeys: readonly string[]
  readonly jobIds: readonly string[]
}

const utf8 = (text: string) => Buffer.from(text).toString('latin1')
const bytes = (text: Uint8Array) => Buffer.from(text).toString('latin1')

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY', 'M-SEARCH']

const strangeParts = [
  '',
  '.',
  '..',
  '%2e%2e',
  '%2F',
  '%00',
  '%',
  '%zz',
  '%ff',
  '%C3%A9',
  '%ud800',
  '{job_id}',
  '*',
  ';',
  '//',
  '[',
  '@',
  ':80',
  '\\',
  'null',
  '__proto__',
  'constructor',
  '%F0%9F%92%89',
  "'",
  '"',
  '<x>',
  '^`|',
  '#x',
]

const visible = fc.string({ unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)) })
const part = fc.oneof(
  fc.constantFrom(...strangeParts),
  fc.constantFrom('v1', 'searches', 'fee-schedules', 'V1', 'openapi.json'),
  visible.map((text) => text.replaceAll('?', '')),
  fc.string({ unit: 'binary', maxLength: 12 }).map(encode),
  fc.integer({ min: 1, max: 9000 }).map((length) => 'a'.repeat(length)),
)

const anyPath = (jobIds: readonly string[]) => {
  const routed = fc
    .tuple(fc.constantFrom(...routes), fc.oneof(fc.constantFrom(...jobIds), fc.uuid({ version: 4 }), part))
    .map(([{ path }, id]) => path.replace(/\{\w+\}/, () => id))
  return fc.oneof(
    { arbitrary: routed, weight: 5 },
    { arbitrary: fc.tuple(routed, part).map(([path, more]) => `${path}/${more}`), weight: 1 },
    { arbitrary: fc.array(part, { maxLength: 6 }).map((parts) => `/${parts.join('/')}`), weight: 3 },
    {
      arbitrary: fc.constantFrom(
        '*',
        '//',
        '///',
        '//v1/searches',
        '/v1//searches',
        'http://x/v1/searches',
        'http://[',
        '/?',
        '/%',
      ),
      weight: 1,
    },
  )
}

const parameterName = fc.oneof(fc.constantFrom('payer', 'limit', 'cursor', 'status', '__proto__', ''), part)
const parameterValue = fc.oneof(
  part,
  fc.constantFrom('1', '0', '-1', '1e3', '1000', '1001', '%00', 'Blue%20Harbor%20Health', 'a+b', '%ED%A0%80'),
)
const query = fc.oneof(
  { arbitrary: fc.constant(''), weight: 3 },
  fc
    .array(fc.tuple(parameterName, parameterValue), { maxLength: 4 })
    .map((pairs) => `?${pairs.map((pair) => pair.join('=')).join('&')}`),
  visible.map((text) => `?${text}`),
)

const token = fc.stringMatching(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,20}$/)
const fieldValue = fc.string({
  unit: fc
    .integer({ min: 0x20, max: 0xff })
    .filter((code) => code !== 0x7f)
    .map((code) => String.fromCharCode(code)),
  maxLength: 40,
})

/** Headers that a server or proxy interprets, with valid, odd and invalid values. */
const tellingHeaders: Readonly<Record<string, readonly string[]>> = {
  'Content-Type': [
    'application/json',
    'application/json; charset=utf-16',
    'text/plain',
    'application/json;;',
    'multipart/form-data',
    '',
  ],
  'Content-Encoding': ['gzip', 'identity', 'br', 'gzip, gzip', 'x'],
  'Idempotency-Key': ['', 'a', 'a'.repeat(256), '"7"', '\xe9', 'a, b'],
  Accept: ['text/html', '*/*;q=0', 'application/json'],
  'Accept-Encoding': ['gzip', 'identity;q=0', '*'],
  Expect: ['100-continue', '200-ok', ''],
  Connection: ['keep-alive', 'upgrade', 'close, Authorization', 'Content-Length'],
  Upgrade: ['websocket', 'h2c', 'TLS/1.0'],
  'X-Forwarded-For': ['127.0.0.1', "' OR 1"],
  'X-Forwarded-Host': ['evil.example'],
  'X-HTTP-Method-Override': ['DELETE', 'GET'],
  'X-Amzn-Trace-Id': ['Root=1', '\xff'],
  'X-Amz-Date': ['20261120T000000Z'],
  'If-None-Match': ['*', '"x"'],
  'If-Modified-Since': ['Thu, 01 Jan 1970 00:00:00 GMT'],
  Range: ['bytes=0-1', 'bytes=-'],
  Origin: ['null', 'https://evil.example'],
  'Access-Control-Request-Method': ['DELETE'],
  Cookie: ['a=b; __proto__=c'],
  TE: ['trailers'],
  ['__proto__']: ['x'],
  constructor: ['x'],
}

const anyHeaderLine = fc.oneof(
  {
    arbitrary: fc
      .constantFrom(...Object.entries(tellingHeaders))
      .chain(([name, values]) =>
        fc.tuple(fc.constantFrom(name, name.toLowerCase()), fc.oneof(fc.constantFrom(...values), fieldValue)),
      ),
    weight: 4,
  },
  fc.tuple(
    token.filter((name) => !/^(content-length|transfer-encoding|host|trailer)$/i.test(name)),
    fieldValue,
  ),
  fc.tuple(
    fc.constantFrom('X-Long', 'Cookie'),
    fc.integer({ min: 1, max: 9000 }).map((length) => 'x'.repeat(length)),
  ),
)

const jsonType = ['Content-Type', 'application/json'] as const

const anyAuthorization = ({ keys, refusedKeys }: KnownValues) => {
  const key = fc.constantFrom(...keys, ...refusedKeys)
  const bearer = (value: fc.Arbitrary<string>) => value.map((text) => [['Authorization', `Bearer ${text}`] as const])
  return fc.oneof(
    { arbitrary: bearer(fc.constantFrom(...keys)), weight: 6 },
    { arbitrary: bearer(key), weight: 1 },
    { arbitrary: bearer(key.chain(brokenKey).map((text) => utf8(text).replace(/[\r\n]/g, ''))), weight: 2 },
    { arbitrary: fc.tuple(bearer(key), bearer(key)).map((lines) => lines.flat()), weight: 1 },
    { arbitrary: fieldValue.map((value) => [['authorization', value] as const]), weight: 1 },
    { arbitrary: fc.constant([]), weight: 1 },
  )
}

const jsonBody = anyJsonText.map(utf8)
const anyRequestBody = fc.oneof(
  { arbitrary: fc.constant(''), weight: 2 },
  { arbitrary: jsonBody, weight: 4 },
  fc.uint8Array({ maxLength: 200 }).map(bytes),
  jsonBody.map((text) => bytes(gzipSync(Buffer.from(text, 'latin1')))),
  fc.tuple(jsonBody, fc.nat(30)).map(([text, cut]) => bytes(gzipSync(Buffer.from(text, 'latin1'))).slice(0, -1 - cut)),
  fc
    .tuple(jsonBody, fc.nat(), fc.constantFrom('\xff', '\xc3', '\x00', '\xed\xa0\x80', '\xef\xbb\xbf'))
    .map(([text, at, strange]) => {
      const position = at % (text.length + 1)
      return text.slice(0, position) + strange + text.slice(position)
    }),
  fc.constantFrom(1024 * 1024 - 10, 1024 * 1024 + 10, 2_000_000).map((length) => `"${'x'.repeat(length)}"`),
)

/** Any request with valid framing: method, target and headers are well-formed, and the body has the stated length. */
export function anyRequest(knownValues: KnownValues): fc.Arbitrary<RawRequest> {
  return fc
    .record({
      method: fc.oneof({ arbitrary: fc.constantFrom('GET', 'POST'), weight: 3 }, fc.constantFrom(...methods)),
      path: anyPath(knownValues.jobIds),
      query,
      authorization: anyAuthorization(knownValues),
      headers: fc
        .tuple(fc.constantFrom([], [jsonType]), fc.array(anyHeaderLine, { maxLength: 4 }))
        .map((it) => it.flat()),
      body: anyRequestBody,
    })
    .map(({ method, path, query, authorization, headers, body }) => ({
      method,
      target: path + query,
      headers: [...authorization, ...headers],
      body,
    }))
}

/** Requests to create a search with a valid key; the body is valid, almost valid, invalid or not JSON. */
export function anyCreation(knownValues: KnownValues): fc.Arbitrary<RawRequest> {
  return fc
    .record({ key: fc.constantFrom(...knownValues.keys), body: fc.oneof(jsonBody, anyRequestBody) })
    .map(({ key, body }) => ({
      method: 'POST',
      target: '/v1/searches',
      headers: [['Authorization', `Bearer ${key}`], jsonType],
      body,
    }))
}

function encode(text: string): string {
  return encodeURIComponent(text)
}
