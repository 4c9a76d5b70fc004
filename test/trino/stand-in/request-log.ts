import { open, stat } from 'node:fs/promises'
import * as v from 'valibot'

/** A line of the log of requests (aws_server.py). */
const entry = v.object({
  method: v.string(),
  path: v.string(),
  query: v.string(),
  /** Name of the Glue operation; empty for S3. */
  operation: v.string(),
  status: v.nullable(v.number()),
})

/** Numbers of requests by kind: `LIST` or the HTTP method for S3, and the operation for Glue, such as `GetTable`. */
export type RequestCounts = Readonly<Record<string, number>>

/** Returns the position from which `countRequests` counts what comes next. */
export async function markRequests(requestLog: string): Promise<number> {
  return (await stat(requestLog)).size
}

/**
 * Counts the requests since a mark. Others may use the servers at the same time, so run one query at a time.
 *
 * @param mark position in the log, in bytes
 */
export async function countRequests(requestLog: string, mark: number): Promise<RequestCounts> {
  await using file = await open(requestLog)
  const counts: Record<string, number> = {}
  for await (const line of file.readLines({ start: mark })) {
    const kind = kindOf(v.parse(entry, JSON.parse(line)))
    counts[kind] = (counts[kind] ?? 0) + 1
  }
  return counts
}

function kindOf({ method, query, operation }: v.InferOutput<typeof entry>): string {
  if (operation !== '') return operation
  return query.includes('list-type=2') ? 'LIST' : method
}
