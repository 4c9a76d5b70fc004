import { createHash } from 'node:crypto'
import { formatNumber } from '../../schema/phrases.ts'
import type { Estimate, SearchRequest } from '../api.ts'
import type { Answer, Need } from './answer.ts'
import type { ToolSession } from './session.ts'

/** The arguments of tools that start a search. */
export interface SearchArguments extends Omit<SearchRequest, 'fee_schedules'> {
  readonly fee_schedules?: SearchRequest['fee_schedules']
  readonly max_bytes?: number
  readonly again?: boolean
  readonly wait_seconds?: number
}

/** A search that may be started, with what looks wrong in it; or the answer that asks for what is missing. */
export type CheckedSearch =
  | { readonly request: SearchRequest; readonly estimate: Estimate }
  | { readonly request: undefined; readonly answer: Answer }

/**
 * Checks a search before it is started, with an estimate of the service: it must name plans that exist and something
 * to search for, and read no more than the bytes that its arguments or the session allow.
 */
export async function checkSearch(
  { calls, maxBytes }: ToolSession,
  args: SearchArguments,
  signal: AbortSignal,
): Promise<CheckedSearch> {
  const { fee_schedules: plans, max_bytes: limit = maxBytes, again: _, wait_seconds: __, ...filters } = args
  const { npis, tins, billing_codes, providers } = filters
  const needs: Need[] = []
  if (plans === undefined) needs.push(planNeed)
  if ([npis, tins, billing_codes, providers].every((list) => list === undefined)) needs.push(filterNeed)
  if (plans === undefined || needs.length > 0) return refuse({ needs })
  const request = { ...filters, fee_schedules: plans }
  const estimate = await calls.estimate(request, { signal })
  const missing = estimate.fee_schedules.filter(({ exists }) => !exists)
  if (missing.length > 0 || estimate.fee_schedules.length === 0)
    return refuse({ needs: [describeMissing(missing)], next: 'find_plans lists the plans that can be searched.' })
  const { bytes } = estimate
  if (bytes !== null && bytes > limit) return refuse({ needs: [describeSize(bytes, limit)], estimated_bytes: bytes })
  return { request, estimate }
}

const refuse = (answer: Answer) => ({ request: undefined, answer: { state: 'not started', ...answer } })

const planNeed = {
  about: 'fee_schedules',
  ask: 'Which payer and plan, or which employer? find_plans lists those that can be searched.',
}

const filterNeed = {
  about: 'billing_codes',
  ask: 'Which service or billing code (such as CPT 99213), or which provider by NPI, TIN, state or ZIP code?',
}

function describeMissing(missing: Estimate['fee_schedules']): Need {
  const choices = missing.flatMap(({ nearest }) => nearest).slice(0, 10)
  return {
    about: 'fee_schedules',
    ask: 'No rates are loaded under these names. Which of the similar plans is meant?',
    choices: choices.length > 0 ? choices : missing.map(({ payer, plan }) => ({ payer, plan, exists: false })),
  }
}

function describeSize(bytes: number, limit: number): Need {
  return {
    about: 'max_bytes',
    ask: `The search would read up to ${formatNumber(bytes)} bytes, more than the limit of ${formatNumber(limit)}. Fewer plans read less. Shall it run all the same?`,
    choices: [bytes],
  }
}

/**
 * Derives the idempotency key of a search from its content and day, so that an assistant which repeats a call pays for
 * one query. `again` makes another search each minute.
 */
export function nameSearch(request: SearchRequest, { again = false }: SearchArguments, now: Date): string {
  const time = now.toISOString().slice(0, again ? 'YYYY-MM-DDTHH:MM'.length : 'YYYY-MM-DD'.length)
  return `assistant-${createHash('sha256')
    .update(`${time} ${JSON.stringify(request)}`)
    .digest('hex')}`
}
