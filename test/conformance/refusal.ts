import { expect } from 'vitest'
import type { ErrorType } from '../../contract/errors.ts'
import type { ErrorBody } from '../../contract/search-api.ts'
import type { Answer } from './client.ts'

/** Checks the status and type of an error answer, and what every error answer must have. */
export function expectRefusal({ status, headers, text }: Answer, expected: readonly [number, ErrorType]): ErrorBody {
  expect([status, text]).toEqual([expected[0], expect.stringContaining(`"${expected[1]}"`)])
  const body: ErrorBody = JSON.parse(text)
  const { type, message, request_id, details, ...rest } = body.error
  expect(Object.keys(body)).toEqual(['error'])
  expect(type).toBe(expected[1])
  expect(message).toMatch(/\w.*[.?]$/)
  expect(request_id).toBe(headers.get('X-Request-Id'))
  expect(rest).toEqual({})
  expect(details === undefined || type === 'invalid_request').toBe(true)
  expect(headers.get('Content-Type')).toMatch(/^application\/json\b/)
  expect(headers.get('Cache-Control')).toBe('no-store')
  return body
}

/** The paths of the faults in a 400, sorted. */
export function faultPaths({ error }: ErrorBody): readonly string[] {
  return (error.details ?? []).map(({ path }) => path).sort()
}
