import fc from 'fast-check'
import { expect } from 'vitest'
import type { Fault } from '../../contract/errors.ts'
import { InvalidRequest } from '../../core/errors.ts'
import type { SearchRequest } from '../../core/search-request.ts'
import { canonicalRequest, hashRequest, parseSearchRequest } from '../../core/search-request.ts'
import { findStatementFault, longestStatement, selectStatement } from '../../core/statement.ts'
import { anySpelling, bodyOf } from '../core/request-bodies.ts'
import { anyJsonText } from './json-text.ts'
import type { Surface } from './surface.ts'
import { rule } from './surface.ts'

/** The most that the faults of a request may weigh in an answer. */
const mostDetailBytes = 100_000

/** The body of a search: whatever JSON comes, it is a search or a refusal that says why. */
export const requestSurface: Surface = {
  name: 'request',
  rules: [
    rule(
      'any-json',
      1500,
      fc.property(anyJsonText, (text) => {
        const outcome = read(JSON.parse(text))
        if (outcome instanceof InvalidRequest) checkFaults(outcome)
        else checkRequest(outcome)
      }),
    ),
    rule(
      'any-value',
      500,
      fc.property(fc.anything({ withNullPrototype: true, withSparseArray: true, withDate: true }), (value) => {
        const outcome = read(value)
        if (outcome instanceof InvalidRequest) checkFaults(outcome)
        else checkRequest(outcome)
      }),
    ),
    rule(
      'one-meaning-one-hash',
      300,
      fc.property(anySpelling, ([body, other]) => {
        expect(hashRequest(parseSearchRequest(other))).toBe(hashRequest(parseSearchRequest(body)))
      }),
    ),
  ],
}

function read(body: unknown): SearchRequest | InvalidRequest {
  try {
    return parseSearchRequest(body)
  } catch (error) {
    if (error instanceof InvalidRequest) return error
    throw error
  }
}

function checkFaults({ details, message }: InvalidRequest): void {
  expect(details.length).toBeGreaterThan(0)
  expect(Buffer.byteLength(JSON.stringify(details))).toBeLessThan(mostDetailBytes)
  expect(message).toMatch(/^The request has (a|\d+) faults?\.$/)
  const isSound = ({ path, message, ...rest }: Fault) =>
    Object.keys(rest).length === 0 && /\w/.test(message) && isPrintable(path + message)
  expect(details.filter((fault) => !isSound(fault))).toEqual([])
}

const isPrintable = (text: string) => text.isWellFormed() && !/\p{Cc}/u.test(text)

function checkRequest(request: SearchRequest): void {
  // What was accepted is in its one form: it parses as itself.
  const again = parseSearchRequest(JSON.parse(JSON.stringify(bodyOf(request))))
  expect(canonicalRequest(again)).toBe(canonicalRequest(request))
  expect(canonicalRequest(request)).toSatisfy(isPrintable)
  const statement = selectStatement(request, { sources: ['source'] })
  // Outside its literals a statement holds nothing of the client's but numbers.
  expect(statement.replace(/'(?:[^']|'')*'/g, "''")).toMatch(/^[\w\s(),=.*']*$/)
  if (findStatementFault(request) === undefined) {
    expect(Buffer.byteLength(statement)).toBeLessThan(longestStatement)
  }
}
