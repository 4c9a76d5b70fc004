import * as v from 'valibot'
import type { ObservedService } from '../../local/endpoint.ts'
import type { RunningServer } from '../../local/http-server.ts'
import type { Invocation } from '../../local/lambda/functions.ts'
import { readTracedRequest } from '../faults/proxy/traced-request.ts'
import { type PassingCall, standBefore } from '../local/call-proxy.ts'

/** Number of requests by service and operation, such as `dynamodb:PutItem`. */
export type RequestCounts = Readonly<Record<string, number>>

/** Event of a function that a timer starts: its requests belong to nobody's call. */
const timerEvent = v.object({ source: v.literal('aws.events') })

/** A question that is repeated until a query ends, so that its count depends on time. */
const waiting = 'athena:GetQueryExecution'

/** Counts the requests to AWS of a service, and of what uses its endpoints. */
export class RequestObserver {
  readonly #invocations = new Map<string, Invocation>()
  readonly #requests: { readonly functionName: string | undefined; readonly operation: string }[] = []

  readonly onInvocation = (invocation: Invocation): void => {
    this.#invocations.set(invocation.requestId, invocation)
  }

  readonly observe = (service: ObservedService, url: string): Promise<RunningServer> =>
    standBefore(url, (call, pass) => {
      const operation = `${service}:${operationOf(call)}`
      const requestId = readTracedRequest(String(call.headers['x-amzn-trace-id'] ?? ''))
      const invocation = this.#invocations.get(requestId ?? '')
      if (operation !== waiting && !v.is(timerEvent, invocation?.event))
        this.#requests.push({ functionName: invocation?.functionName, operation })
      return pass()
    })

  /**
   * Counts the requests since the last call.
   *
   * @param isCounted of the name of the function that made a request; undefined if no function did
   */
  take(isCounted: (functionName: string | undefined) => boolean): RequestCounts {
    const requests = this.#requests.splice(0).filter(({ functionName }) => isCounted(functionName))
    const counts = Map.groupBy(requests, ({ operation }) => operation)
    return Object.fromEntries([...counts].map(([operation, made]) => [operation, made.length]))
  }
}

/** Names the operation of a call by its header, the field `Action` of its form, or its method. */
function operationOf({ headers, body, method, target }: PassingCall): string {
  const [, operation] = /\.(\w+)$/.exec(String(headers['x-amz-target'] ?? '')) ?? []
  if (operation !== undefined) return operation
  if (target.searchParams.has('list-type')) return 'LIST'
  return new URLSearchParams(body.toString()).get('Action') ?? method
}
