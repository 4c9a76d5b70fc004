import assert from 'node:assert/strict'
import fc from 'fast-check'
import { maxStatementBytes } from '../../contract/limits.ts'
import type { Fault } from '../../contract/search-api.ts'
import { InvalidRequest } from '../../core/errors.ts'
import { parseSearchRequest } from '../../core/search/parse-search-request.ts'
import type { SearchRequest } from '../../core/search/search-request.ts'
import { canonicalRequest, hashRequest } from '../../core/search/search-request.ts'
import { findStatementFault, selectStatement } from '../../core/search/statement.ts'
import { anySpelling, bodyOf } from '../builders/request-bodies.ts'
import { anyJsonText } from './json-text.ts'
import type { Surface } from './surface.ts'
import { rule } from './surface.ts'

/** Maximum bytes of a request's faults in an answer. */
const maxDetailBytes = 100_000

/** The body of a search: any JSON is either a valid search or refused with a reason. */
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
        assert.equal(hashRequest(parseSearchRequest(other)), hashRequest(parseSearchRequest(body)))
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
  assert.ok(details.length > 0, 'a refusal without a fault')
  const bytes = Buffer.byteLength(JSON.stringify(details))
  assert.ok(bytes < maxDetailBytes, `faults of ${bytes} bytes`)
  const [first, ...others] = details
  assert.ok(message.includes(first?.message ?? ''), 'a message without the first fault')
  assert.equal(/ \(and \d+ more faults?, see details\)\.$/.test(message), others.length > 0)
  const isSound = ({ path, message, ...rest }: Fault) =>
    Object.keys(rest).length === 0 && /\w/.test(message) && isPrintable(path + message)
  assert.deepEqual(
    details.filter((fault) => !isSound(fault)),
    [],
  )
}

const isPrintable = (text: string) => text.isWellFormed() && !/\p{Cc}/u.test(text)

function checkRequest(request: SearchRequest): void {
  // An accepted search is canonical: parsing it again changes nothing.
  const again = parseSearchRequest(JSON.parse(JSON.stringify(bodyOf(request))))
  assert.equal(canonicalRequest(again), canonicalRequest(request))
  assert.ok(isPrintable(canonicalRequest(request)), 'an unprintable search')
  const statement = selectStatement(request, { contents: request.feeSchedules.map(() => 'content') })
  // Outside its literals, a statement contains only numbers from the client, so its other characters are the service's.
  assert.match(statement.replace(/'(?:[^']|'')*'/g, "''"), /^[\w\s(),=.*'|<>[\]]*$/)
  if (findStatementFault(request) === undefined) {
    assert.ok(Buffer.byteLength(statement) < maxStatementBytes, 'a statement too long')
  }
}
