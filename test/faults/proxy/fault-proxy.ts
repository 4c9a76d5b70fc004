import * as v from 'valibot'
import { parseAuthorization } from '../../../core/access/api-key.ts'
import type { ObservedService } from '../../../local/endpoint.ts'
import type { RunningServer } from '../../../local/http-server.ts'
import type { Invocation } from '../../../local/lambda/functions.ts'
import type { LocalService } from '../../../local/service.ts'
import { type EndpointAnswer, type PassingCall, standBefore } from '../../local/call-proxy.ts'
import { type NamedCall, nameCall } from './call-name.ts'
import type { PlannedFault } from './fault.ts'
import { answerBroken, answerConditionFailed, answerExhausted, answerThrottled } from './refusals.ts'
import { readTracedRequest } from './traced-request.ts'

/** Calls of one organization, and the faults that hit them. Each case has its own organization. */
export interface CaseRecord {
  readonly plan: PlannedFault[]
  /** Attempts hit by each planned fault, by its index in the plan. */
  readonly hits: Map<number, number>
  /** The SDK call, or the query, to which each planned fault is bound, by its index in the plan. */
  readonly bound: Map<number, string>
  /** ARNs of the executions started for the case. */
  readonly executions: Set<string>
  /** Ids of the queries that Athena started for the case; each one costs money. */
  readonly queries: Set<string>
  /** Every call made for the case, by name. */
  readonly calls: Map<string, NamedCall>
  readonly invocations: Invocation[]
  /** Duplicate invocations that the harness made. */
  readonly duplicates: Promise<unknown>[]
  onInvocation?: (invocation: Invocation) => void
  /** Calls that are held until their caller has ended. */
  readonly held: Set<Promise<unknown>>
}

type Pass = () => Promise<EndpointAnswer>

/** Proxies every endpoint, attributes each call to its organization, and injects the faults planned for that case. */
export class FaultProxy {
  readonly #cases = new Map<string, CaseRecord>()
  readonly #invocations = new Map<string, Invocation>()
  /** Organizations by the ids of their jobs and queries, to attribute the sweeper's calls, which name only those. */
  readonly #owners = new Map<string, string>()
  readonly #triesOf = new Map<string, string[]>()
  /** Ends an invocation early; set once the service is running. */
  endInvocation: LocalService['endInvocation'] = () => {}

  readonly standBefore = (service: ObservedService, url: string): Promise<RunningServer> =>
    standBefore(url, (call, pass) => this.#answer(service, call, pass))

  readonly noteInvocation = (invocation: Invocation): void => {
    this.#invocations.set(invocation.requestId, invocation)
    const owner = ownerOfEvent(invocation.event)
    const record = this.#cases.get(owner ?? '')
    record?.invocations.push(invocation)
    record?.onInvocation?.(invocation)
  }

  /** Begins a case with the faults planned for it. */
  open(orgId: string, plan: readonly PlannedFault[]): CaseRecord {
    const record: CaseRecord = {
      plan: [...plan],
      hits: new Map(),
      bound: new Map(),
      executions: new Set(),
      queries: new Set(),
      calls: new Map(),
      invocations: [],
      duplicates: [],
      held: new Set(),
    }
    this.#cases.set(orgId, record)
    return record
  }

  async #answer(service: ObservedService, call: PassingCall, pass: Pass): Promise<EndpointAnswer | undefined> {
    const requestId = readTracedRequest(String(call.headers['x-amzn-trace-id'] ?? ''))
    const invocation = this.#invocations.get(requestId ?? '')
    if (requestId === undefined || invocation === undefined || isOutside(invocation)) return pass()
    const sdkCall = String(call.headers['amz-sdk-invocation-id'])
    const owner = ownerOfEvent(invocation.event) ?? this.#ownerOfCall(call)
    const first = nameCall(invocation.functionName, service, call)
    const named = this.#countAgain(first, `${requestId} ${owner}`, sdkCall)
    const isEverybodys = owner === undefined
    const owners = isEverybodys ? [...this.#cases.keys()] : [owner]
    for (const orgId of owners) this.#cases.get(orgId)?.calls.set(named.name, named)
    const passAndLearn = async () => {
      const answer = await pass()
      if (owner !== undefined) this.#learn(owner, named.name, answer)
      return answer
    }
    for (const orgId of owners) {
      const claim = this.#claim(orgId, named, { sdkCall, queryId: queryIdOf(call) })
      if (claim !== undefined)
        return this.#strike(claim.fault, claim.record, { service, call, requestId }, passAndLearn)
    }
    return passAndLearn()
  }

  /** A second read of the same items in one invocation is a different call; a sweep reads for many organizations. */
  #countAgain(named: NamedCall, reader: string, sdkCall: string): NamedCall {
    if (!named.name.includes('BatchGetItem')) return named
    const place = `${reader} ${named.name}`
    const sdkCalls = this.#triesOf.get(place) ?? []
    if (!sdkCalls.includes(sdkCall)) sdkCalls.push(sdkCall)
    this.#triesOf.set(place, sdkCalls)
    return sdkCalls.indexOf(sdkCall) === 0 ? named : { ...named, name: `${named.name} again` }
  }

  #ownerOfCall({ body, target }: PassingCall): string | undefined {
    const text = body.toString() + target.pathname
    for (const orgId of this.#cases.keys()) if (text.includes(orgId)) return orgId
    for (const [id, orgId] of this.#owners) if (text.includes(id)) return orgId
    return undefined
  }

  #claim(orgId: string, named: NamedCall, by: { readonly sdkCall: string; readonly queryId: string | undefined }) {
    const record = this.#cases.get(orgId)
    for (const [index, { call, fault, scope }] of record?.plan.entries() ?? []) {
      if (record === undefined || call !== named.name) continue
      const subject = fault === 'exhausted' ? (by.queryId ?? by.sdkCall) : by.sdkCall
      const bound = record.bound.get(index) ?? subject
      record.bound.set(index, bound)
      const hits = record.hits.get(index) ?? 0
      if (scope !== 'always' && (bound !== subject || (fault.startsWith('once') && hits > 0))) continue
      record.hits.set(index, hits + 1)
      return { fault, record }
    }
    return undefined
  }

  async #strike(
    fault: PlannedFault['fault'],
    record: CaseRecord,
    { service, call, requestId }: { service: ObservedService; call: PassingCall; requestId: string },
    pass: Pass,
  ): Promise<EndpointAnswer | undefined> {
    switch (fault) {
      case 'error before':
      case 'once before':
        return undefined
      case 'error after':
      case 'once after':
        await pass()
        return undefined
      case 'throttled':
      case 'once throttled':
        return answerThrottled(service)
      case 'server error':
      case 'once server error':
        return answerBroken(service)
      case 'conditional':
        return answerConditionFailed()
      case 'exhausted':
        return answerExhausted(queryIdOf(call) ?? '')
      case 'crash before':
        this.endInvocation(requestId, 'crash')
        return undefined
      case 'crash after':
        await pass()
        this.endInvocation(requestId, 'crash')
        return undefined
      case 'late': {
        const held = call.closed.then(pass)
        this.endInvocation(requestId, 'time-out')
        record.held.add(held)
        await held.finally(() => record.held.delete(held))
        return undefined
      }
    }
  }

  #learn(orgId: string, name: string, answer: EndpointAnswer): void {
    if (answer.status !== 200) return
    if (name.endsWith('athena:StartQueryExecution')) {
      const { QueryExecutionId } = v.parse(
        v.object({ QueryExecutionId: v.string() }),
        JSON.parse(answer.body.toString()),
      )
      this.#owners.set(QueryExecutionId, orgId)
      this.#cases.get(orgId)?.queries.add(QueryExecutionId)
    }
    if (name.endsWith('states:StartExecution')) {
      const { executionArn } = v.parse(v.object({ executionArn: v.string() }), JSON.parse(answer.body.toString()))
      this.#owners.set(executionArn, orgId)
      this.#cases.get(orgId)?.executions.add(executionArn)
    }
  }
}

/** Returns the id of the query that a call of Athena names. */
function queryIdOf({ body }: PassingCall): string | undefined {
  return /"QueryExecutionId":\s*"([^"]+)"/.exec(body.toString())?.[1]
}

const stepEvent = v.object({ orgId: v.string() })
const brokenEvent = v.object({ input: v.string() })
const apiEvent = v.object({ headers: v.record(v.string(), v.unknown()) })

/** Functions that follow the end of jobs and loads, and change no job. */
const isOutside = ({ functionName }: Invocation) => /^(AnnounceLoads|DeliverWebhooks|RetryWebhooks)$/.test(functionName)

/** The organization in an invocation's event; undefined for a sweep, which serves all. */
function ownerOfEvent(event: unknown): string | undefined {
  if (v.is(stepEvent, event)) return event.orgId
  if (v.is(brokenEvent, event)) return v.parse(stepEvent, JSON.parse(event.input)).orgId
  if (!v.is(apiEvent, event)) return undefined
  const header = Object.entries(event.headers).find(([name]) => name.toLowerCase() === 'authorization')?.[1]
  return parseAuthorization(String(header))?.orgId
}
