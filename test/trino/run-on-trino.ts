import { setTimeout as sleep } from 'node:timers/promises'
import * as v from 'valibot'

export interface TrinoResult {
  /** Id of the query. */
  readonly id: string
  readonly columns: readonly { readonly name: string; readonly type: string }[]
  /** Rows as JSON values: decimals and dates are text. */
  readonly rows: readonly (readonly unknown[])[]
}

/** Trino refused a statement. */
export class TrinoRefused extends Error {
  override readonly name = 'TrinoRefused'
}

/** The catalog's name, in which views stored by Athena look up their tables. */
export const catalog = 'awsdatacatalog'

/** The Glue database of the warehouse (stand-in/warehouse-template.ts). */
export const database = 'rates_dev'

/** One page of an answer. Source: Trino documentation, "Trino client REST API". */
const page = v.object({
  id: v.string(),
  nextUri: v.optional(v.string()),
  columns: v.optional(v.array(v.object({ name: v.string(), type: v.string() }))),
  data: v.optional(v.array(v.array(v.unknown())), []),
  error: v.optional(v.object({ message: v.string(), errorName: v.string() })),
})

/** Trino has no node for now: on a busy machine all may be taken for lost until their next sign of life. */
class NoNode extends TrinoRefused {}

/** Seconds to wait for a node. */
const maxNodeSeconds = 60

/**
 * Runs a statement and returns all pages of its result.
 *
 * @throws TrinoRefused with the server's message
 */
export async function runOnTrino(url: string, sql: string, schema = database): Promise<TrinoResult> {
  for (let second = 0; ; second++) {
    try {
      return await runOnce(url, sql, schema)
    } catch (error) {
      if (!(error instanceof NoNode) || second === maxNodeSeconds) throw error
      await sleep(1000)
    }
  }
}

async function runOnce(url: string, sql: string, schema: string): Promise<TrinoResult> {
  const headers = { 'X-Trino-User': 'test', 'X-Trino-Catalog': catalog, 'X-Trino-Schema': schema }
  const rows: unknown[][] = []
  let columns: TrinoResult['columns'] = []
  let response = await fetch(`${url}/v1/statement`, { method: 'POST', headers, body: sql })
  for (;;) {
    const answer = v.parse(page, await response.json())
    const { id, data, error, nextUri } = answer
    if (error) {
      const Refused = error.errorName === 'NO_NODES_AVAILABLE' ? NoNode : TrinoRefused
      throw new Refused(`${error.errorName}: ${error.message}`)
    }
    rows.push(...data)
    columns = answer.columns ?? columns
    if (nextUri === undefined) return { id, columns, rows }
    response = await fetch(nextUri, { headers })
  }
}
