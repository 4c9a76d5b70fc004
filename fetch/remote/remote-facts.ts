import type { HttpAnswer } from './http-client.ts'

/** Size and entity tag of a file, as its server states them. */
export interface RemoteFacts {
  /** Packed size in bytes; undefined if the server does not state it. */
  readonly size: number | undefined
  /** The strong entity tag; undefined if there is none. Equal ones mean equal bytes (RFC 9110, section 8.8.1). */
  readonly etag: string | undefined
  /** The address that answered, after redirects. */
  readonly address?: string | undefined
  /** The coding of its bytes, if the server states one although none was asked for. */
  readonly encoding?: string | undefined
}

/** Reads the facts of the whole file from an answer of status 200, 206 or 416. */
export function readFacts(answer: HttpAnswer): RemoteFacts {
  const size = answer.status === 200 ? readLength(answer) : readContentRange(answer).size
  const etag = answer.header('etag')
  return {
    size,
    etag: etag?.startsWith('"') ? etag : undefined,
    address: answer.address,
    encoding: answer.header('content-encoding'),
  }
}

/** True if an answer has the bytes of the same file from an offset to its end. */
export function continues(answer: HttpAnswer, offset: number, facts: RemoteFacts): boolean {
  const { start, size } = readContentRange(answer)
  const { etag = facts.etag } = readFacts(answer)
  const length = readLength(answer)
  const isToEnd = length === undefined || size === undefined || offset + length === size
  const isSame = etag === facts.etag && (size === undefined || facts.size === undefined || size === facts.size)
  return answer.status === 206 && start === offset && isToEnd && isSame
}

function readLength(answer: HttpAnswer): number | undefined {
  const length = answer.header('content-length')
  return length !== undefined && /^\d{1,15}$/.test(length) ? Number(length) : undefined
}

/** Reads the Content-Range header. Source: RFC 9110, section 14.4. */
function readContentRange(answer: HttpAnswer) {
  const [, start, size] =
    /^bytes (?:(\d{1,15})-\d{1,15}|\*)\/(?:(\d{1,15})|\*)$/.exec(answer.header('content-range') ?? '') ?? []
  const parse = (digits: string | undefined) => (digits === undefined ? undefined : Number(digits))
  return { start: parse(start), size: parse(size) }
}
