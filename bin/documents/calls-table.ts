import type { Call } from '../../contract/call.ts'
import { calls } from '../../contract/calls.ts'
import { operations, routes } from '../../contract/routes.ts'

/** Heading of the table of calls in documents. */
const heading = ['| call | status | answer |', '|---|---|---|']

/**
 * Writes the table of calls into a document, in place of the one that it has: a row for each call with its path, the
 * HTTP status of success and the first sentence of its description.
 *
 * @throws TypeError if the document has no such table
 */
export function writeCallsTable(document: string): string {
  const [start, ...others] = [...document.matchAll(/^\| call \| .*\n\|[-|]+\n(?:\|.*\n)*/gm)]
  if (start === undefined || others.length > 0) throw new TypeError('the document must have one table of calls')
  const table = [...heading, ...operations.map((operation) => describeRow(operation, calls[operation]))]
  return document.replace(start[0], () => `${table.join('\n')}\n`)
}

function describeRow(operation: (typeof operations)[number], { description, query = {}, success }: Call): string {
  const route = routes.find((each) => each.operation === operation)
  if (route === undefined) throw new TypeError(`the call ${operation} has no route`)
  const parameters = Object.keys(query).map((name) => `${name}=`)
  const path = [route.path, ...(parameters.length === 0 ? [] : [parameters.join('&')])].join('?')
  const [sentence = description] = /^.*?\.(?=\s|$)/.exec(description) ?? []
  return `| \`${route.method} ${path}\` | ${success.status} | ${sentence} |`
}
