import { expect } from 'vitest'
import type { ErrorType } from '../../contract/errors.ts'
import type { ErrorBody } from '../../contract/search-api.ts'
import type { Answer } from './client.ts'

/** Checks the status and type of an error answer; the client has checked the rest. */
export function expectRefusal({ status, text }: Answer, expected: readonly [number, ErrorType]): ErrorBody {
  expect([status, text]).toEqual([expected[0], expect.stringContaining(`"${expected[1]}"`)])
  const body: ErrorBody = JSON.parse(text)
  expect(body.error.type).toBe(expected[1])
  expect(body.error.message).toMatch(/\w.*[.?]$/)
  return body
}

/** The paths of the faults in a 400, sorted. */
export function faultPaths({ error }: ErrorBody): readonly string[] {
  return (error.details ?? []).map(({ path }) => path).sort()
}
