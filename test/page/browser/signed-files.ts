import type { Route } from 'playwright-core'

/** Returns true for the address of a result's file. */
export const isSigned = ({ searchParams }: URL) => searchParams.has('X-Amz-Signature')

/** Answers a read of a result's file, by Range, with these bytes. */
export function answerRange(route: Route, bytes: ArrayBuffer): Promise<void> {
  const [, start = '0', end = '0'] = /^bytes=(\d+)-(\d+)$/.exec(route.request().headers()['range'] ?? '') ?? []
  const body = Buffer.from(bytes.slice(Number(start), Number(end) + 1))
  const headers = {
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Expose-Headers': 'Content-Range',
    'Content-Range': `bytes ${start}-${Number(start) + body.length - 1}/${bytes.byteLength}`,
  }
  return route.fulfill({ status: 206, headers, body })
}
