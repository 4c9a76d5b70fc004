import { createHmac, hash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { listen } from '../../local/http-server.ts'

/** A file of a payer's site, and what is wrong with how it is served. */
export interface PayerFile {
  readonly body: Buffer
  /** @default a strong one that follows the body; null: none */
  readonly etag?: string | null
  /** True if ranges are honoured. @default true */
  readonly ranges?: boolean
  /** Bytes that ranges begin too early. */
  readonly shift?: number
  /** Bytes of each answer's body after which the connection is cut. */
  readonly cutAfter?: number
  /** True if the server then stops sending instead. */
  readonly stalls?: boolean
  /** Number of answers that are cut. @default all */
  readonly cuts?: number
  /** A Content-Length other than the body's. */
  readonly declared?: number
  /** True if the header with the length is left out. */
  readonly chunked?: boolean
  /** A Content-Encoding that the body has, although nobody asked for it. */
  readonly encoding?: string
  /** Answers instead of the file, the first requests first. */
  readonly instead?: readonly { readonly status: number; readonly headers?: Readonly<Record<string, string>> }[]
  /** True if only signed URLs that have not expired are answered. */
  readonly signed?: boolean
  /** Called when a request arrives, before it is answered. */
  readonly onRequest?: (request: PayerRequest) => void
}

export interface PayerRequest {
  readonly path: string
  readonly range: string | undefined
  readonly headers: IncomingMessage['headers']
  /** Bytes of the body that were sent. */
  sent: number
}

/** A payer's site on this machine. */
export interface PayerSite extends AsyncDisposable {
  readonly url: string
  /** Its files by path; may be changed at any time. */
  readonly files: Map<string, PayerFile>
  readonly requests: readonly PayerRequest[]
  /** The site's clock. */
  now: Date
  /** A URL of a file, signed as Amazon S3 does it: the signature differs by time. */
  sign(path: string, seconds: number): string
  /** The bytes that were sent of a file, by all answers. */
  sentOf(path: string): number
}

const start = new Date('2026-11-20T09:30:00Z')

export async function startPayerSite(files: Readonly<Record<string, PayerFile | Buffer>> = {}): Promise<PayerSite> {
  const requests: PayerRequest[] = []
  const served = new Map(Object.entries(files).map(([path, file]) => [path, toFile(file)]))
  const answered = new Map<string, number>()
  const server = await listen((request, response) => {
    const { pathname: path, searchParams } = new URL(request.url ?? '/', server.url)
    const range = request.headers.range
    const entry: PayerRequest = { path, range, headers: request.headers, sent: 0 }
    requests.push(entry)
    const file = served.get(path)
    file?.onRequest?.(entry)
    const count = answered.get(path) ?? 0
    answered.set(path, count + 1)
    const other = file?.instead?.[count]
    if (file === undefined) response.writeHead(404).end('not found')
    else if (other !== undefined) response.writeHead(other.status, other.headers).end()
    else if (file.signed === true && !isSigned(path, searchParams, site.now)) response.writeHead(403).end('expired')
    else sendFile(served.get(path) ?? file, entry, response, count - (file.instead?.length ?? 0))
  })
  const site: PayerSite = {
    url: server.url,
    files: served,
    requests,
    now: start,
    sign(path, seconds) {
      const date = site.now.toISOString().replace(/[-:]|\.\d+/g, '')
      const signature = signatureOf(path, date, String(seconds))
      const query = `X-Amz-Date=${date}&X-Amz-Expires=${seconds}&X-Amz-Signature=${signature}`
      return `${site.url}${path}?${query}`
    },
    sentOf: (path) => requests.reduce((sum, each) => sum + (each.path === path ? each.sent : 0), 0),
    [Symbol.asyncDispose]: () => server.close(),
  }
  return site
}

const toFile = (file: PayerFile | Buffer): PayerFile => (Buffer.isBuffer(file) ? { body: file } : file)

const signatureOf = (path: string, date: string, seconds: string) =>
  createHmac('sha256', 'secret').update(`${path} ${date} ${seconds}`).digest('hex')

function isSigned(path: string, query: URLSearchParams, now: Date): boolean {
  const [date = '', seconds = '', signature] = ['Date', 'Expires', 'Signature'].map(
    (name) => query.get(`X-Amz-${name}`) ?? '',
  )
  const signedAt = Date.parse(date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'))
  return signature === signatureOf(path, date, seconds) && now.getTime() <= signedAt + Number(seconds) * 1000
}

function sendFile(file: PayerFile, request: PayerRequest, response: ServerResponse, count: number): void {
  const etag = file.etag === undefined ? `"${hash('sha256', file.body).slice(0, 16)}"` : file.etag
  const [, first, last] = /^bytes=(\d+)-(\d*)$/.exec(request.range ?? '') ?? []
  const validator = request.headers['if-range']
  const isRange = first !== undefined && file.ranges !== false && (validator === undefined || validator === etag)
  const from = isRange ? Number(first) - (file.shift ?? 0) : 0
  const size = file.body.length
  const tag = etag === null ? {} : { etag }
  if (isRange && from >= size) {
    response.writeHead(416, { ...tag, 'content-range': `bytes */${size}` }).end()
    return
  }
  const to = isRange && last !== '' ? Math.min(size, Number(last) + 1) : size
  const body = file.body.subarray(from, to)
  const declared = file.declared === undefined ? body.length : file.declared - from
  response.writeHead(isRange ? 206 : 200, {
    ...tag,
    ...(file.encoding !== undefined && { 'content-encoding': file.encoding }),
    ...(file.chunked ? {} : { 'content-length': declared }),
    ...(isRange && { 'content-range': `bytes ${from}-${to - 1}/${file.declared ?? size}` }),
  })
  const isCut =
    file.cutAfter !== undefined && file.cutAfter < body.length && count < (file.cuts ?? Number.POSITIVE_INFINITY)
  const sent = isCut ? body.subarray(0, file.cutAfter) : body
  request.sent = sent.length
  // The connection is closed once the bytes are on their way, so that the client gets them.
  const isWhole = !isCut && (file.chunked === true || declared === body.length)
  if (isWhole) response.end(sent)
  else if (isCut && file.stalls === true) response.write(sent)
  else response.write(sent, () => response.destroy())
}
