import { answerMessage } from '../../../client/assistants/serve-http.ts'
import type { ToolSession } from '../../../client/assistants/session.ts'
import { SearchCalls } from '../../../client/search-calls.ts'

/** An answer of the service in JSON. */
export const json =
  (body: object, status = 200) =>
  () =>
    new Response(JSON.stringify(body), { status, headers: { 'Content-Type': 'application/json' } })

const jsonHeaders = new Map([
  ['accept', 'application/json, text/event-stream'],
  ['content-type', 'application/json'],
])

/** Opens the tools over a service that answers every call, by its path if need be. */
export function openTools(answer: (path: string) => Response, settings: Partial<ToolSession> = {}) {
  const requests: string[] = []
  const faults: string[] = []
  const reports: unknown[] = []
  const calls = new SearchCalls({
    url: 'https://rates.example/prod',
    key: 'rates_key',
    retries: 0,
    fetch: async (url) => {
      const { pathname, search } = new URL(String(url))
      requests.push(pathname + search)
      return answer(pathname)
    },
  })
  const session: ToolSession = {
    calls,
    maxBytes: 1_000,
    sizes: { allowsUnknown: false, setting: 'the setting' },
    now: () => new Date('2026-11-28T12:00:00Z'),
    report: (error) => reports.push(error),
    ...settings,
  }
  const post = (message: unknown, headers: ReadonlyMap<string, string> = jsonHeaders) =>
    answerMessage(session, {
      message,
      readHeader: (name) => headers.get(name),
      reportRefusal: (fault) => faults.push(fault),
    })
  const send = async (method: string, params: object) => {
    const { body } = await post({ jsonrpc: '2.0', id: 1, method, params })
    // An event of a stream, as the older protocol has it.
    return body.replace(/^event: message\ndata: /, '')
  }
  return { session, post, send, requests, faults, reports }
}
