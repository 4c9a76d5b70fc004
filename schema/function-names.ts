import { operations, type Route } from '../contract/routes.ts'

/**
 * Functions without a call in the contract: the page, assistants, the answer to unknown paths, the workflow's steps,
 * and the timers.
 */
const otherFunctions = [
  'get-page',
  'serve-assistants',
  'not-found',
  'start-query',
  'await-query',
  'publish-results',
  'record-failure',
  'sweep-searches',
  'refresh-fee-schedules',
  'announce-loads',
  'deliver-webhooks',
  'retry-webhooks',
] as const

/**
 * The name of a function. Its folder in `lambdas/`, its use case in `core/` and its bundle have it, and it is in its
 * log lines.
 */
export type FunctionName = Route['operation'] | (typeof otherFunctions)[number]

export const functionNames: readonly FunctionName[] = [...operations, ...otherFunctions]
