import { inject } from 'vitest'
import type { Endpoints } from './endpoints.ts'

/** Points the SDK clients of a test file to the run's endpoints, and returns the names of their resources. */
export function connectEndpoints(): Endpoints {
  const endpoints = inject('endpoints')
  Object.assign(process.env, endpoints.environment)
  return endpoints
}
