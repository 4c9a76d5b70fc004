import type { Route } from '../contract/routes.ts'
import { operations } from '../contract/routes.ts'

/** Functions that serve no route of the contract: the page, the answer for unknown paths, the workflow's steps, and the timers. */
const otherFunctions = [
  'get-page',
  'not-found',
  'start-query',
  'await-query',
  'publish-results',
  'record-failure',
  'sweep-searches',
  'refresh-fee-schedules',
] as const

/** The name of a function: its folder in `lambdas/`, its use case in `core/`, its bundle, and the name it logs under. */
export type FunctionName = Route['operation'] | (typeof otherFunctions)[number]

/** The names of all functions, those of routes first. */
export const functionNames: readonly FunctionName[] = [...operations, ...otherFunctions]
