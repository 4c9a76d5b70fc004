import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** One GET of a file, as the storage saw it. */
export interface SeenGet {
  readonly name: string
  readonly range: string | undefined
  readonly headers: IncomingMessage['headers']
  status: number
  /** Bytes of the file that were sent. */
  sent: number
}

/** Treatment of a GET in place of a full answer. */
export type Mischief = 'cut' | 'refuse' | 'miss' | 'ignore the range' | 'say nothing of the length' | undefined

/** Files over HTTP with Range and If-Match, as Amazon S3 serves pre-signed URLs, that can misbehave. */
export interface Storage extends AsyncDisposable {
  readonly files: Map<string, Buffer>
  readonly seen: SeenGet[]
  /** Asked at each GET. */
  misbehave: (get: Pick<SeenGet, 'name' | 'range'>) => Mischief
  /** URLs of the files, signed as the latest of this number of signings. */
  sign(): readonly { readonly name: string; readonly bytes: number; readonly url: string }[]
  /** URLs of earlier signings are refused from now on. */
  expire(): void
}

export async function openStorage(files: ReadonlyMap<string, Buffer>): Promise<Storage> {
  const seen: SeenGet[] = []
  let signing = 0
  let oldestValid = 1
  const storage: Omit<Storage, typeof Symbol.asyncDispose> = {
    files: new Map(files),
    seen,
    misbehave: () => undefined,
    sign: () => {
      signing += 1
      const { port } = server.address() as AddressInfo
      return [...storage.files].map(([name, { length }]) => ({
        name,
        bytes: length,
        url: `http://127.0.0.1:${port}/${name}?signing=${signing}`,
      }))
    },
    expire: () => {
      oldestValid = signing + 1
    },
  }
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://storage')
    const name = url.pathname.slice(1)
    const bytes = storage.files.get(name) ?? Buffer.alloc(0)
    const get: SeenGet = { name, range: request.headers.range, headers: request.headers, status: 0, sent: 0 }
    const mischief = storage.misbehave(get)
    seen.push(get)
    const isExpired = Number(url.searchParams.get('signing')) < oldestValid
    if (mischief === 'refuse' || isExpired) answer(get, response, 403)
    else if (mischief === 'miss') answer(get, response, 404)
    else send(get, response, bytes, mischief)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    ...storage,
    get misbehave() {
      return storage.misbehave
    },
    set misbehave(next) {
      storage.misbehave = next
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function answer(get: SeenGet, response: ServerResponse, status: number): void {
  get.status = status
  response.writeHead(status).end()
}

function send(get: SeenGet, response: ServerResponse, bytes: Buffer, mischief: Mischief): void {
  const etag = `"${createHash('md5').update(bytes).digest('hex')}"`
  const condition = get.headers['if-match']
  const start = Number(/^bytes=(\d+)-$/.exec(get.range ?? '')?.[1] ?? 0)
  const isRange = get.range !== undefined && mischief !== 'ignore the range'
  if (condition !== undefined && condition !== etag) {
    answer(get, response, 412)
    return
  }
  if (isRange && start >= bytes.length) {
    answer(get, response, 416)
    return
  }
  const body = isRange ? bytes.subarray(start) : bytes
  get.status = isRange ? 206 : 200
  response.writeHead(get.status, {
    ETag: etag,
    ...(mischief !== 'say nothing of the length' && { 'Content-Length': body.length }),
    ...(isRange && { 'Content-Range': `bytes ${start}-${bytes.length - 1}/${bytes.length}` }),
  })
  const part = mischief === 'cut' ? body.subarray(0, Math.ceil(body.length / 2)) : body
  get.sent = part.length
  response.write(part, () => {
    if (mischief === 'cut') response.socket?.end()
    else response.end()
  })
}
