import { inject } from 'vitest'
import type { Endpoints } from './endpoints.ts'

/** Leads the SDK clients of a test file to the run's endpoints, and gives the names of what is behind them. */
export function connectEndpoints(): Endpoints {
  const endpoints = inject('endpoints')
  Object.assign(process.env, endpoints.environment)
  return endpoints
}
