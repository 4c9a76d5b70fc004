import type { RequestListener } from 'node:http'
import * as v from 'valibot'
import { type Route, routes } from '../../contract/routes.ts'
import { readText } from '../templates/source-files.ts'

const exchange = v.object({ operation: v.string(), status: v.number(), body: v.optional(v.looseObject({})) })

/**
 * Answers each call with the first answer that the API's document shows for it. Results have one file.
 *
 * @param readUrl returns the address at which clients find the service
 */
export function answerAsRecorded(file: Uint8Array, readUrl: () => string): RequestListener {
  const examples = v.parse(v.array(exchange), JSON.parse(readText('contract/examples.json')))
  return (request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://localhost')
    if (pathname === '/file') {
      response.writeHead(200, { ETag: '"a"', 'Content-Length': file.length }).end(file)
      return
    }
    const isCalled = ({ method, path }: Route) =>
      method === request.method && new RegExp(`^${path.replace(/\{\w+\}/, '[^/]+')}$`).test(pathname)
    const operation = routes.find(isCalled)?.operation
    const example = examples.find((each) => each.operation === operation && each.status < 300)
    const shards = [{ name: 'a.parquet', rows: 1, bytes: file.length, checksum: null, url: `${readUrl()}/file` }]
    const isPage = example?.body !== undefined && 'next_cursor' in example.body
    const changes = { ...(operation === 'get-manifest' && { shards }), ...(isPage && { next_cursor: null }) }
    const body = example?.body && { ...example.body, ...changes }
    response.writeHead(example?.status ?? 500, { 'Content-Type': 'application/json' })
    response.end(body === undefined ? undefined : JSON.stringify(body))
  }
}
