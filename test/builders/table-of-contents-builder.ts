/** Small tables of contents for tests. Source: CMS schema, table-of-contents.json. */

export interface BuiltEntry {
  readonly plans: readonly object[]
  /** Addresses of in-network files; `null` for one that the publisher left out. */
  readonly files: readonly (string | null)[]
}

export function buildPlan(plan_name: unknown, fields: object = {}): object {
  return {
    plan_name,
    plan_id: '0123456789',
    plan_id_type: 'hios',
    plan_market_type: 'group',
    issuer_name: 'Blue Harbor Health',
    ...fields,
  }
}

export function buildTableOfContents(...entries: readonly BuiltEntry[]): object {
  return buildDatedContents('2026-11-01', ...entries)
}

export function buildDatedContents(last_updated_on: string, ...entries: readonly BuiltEntry[]): object {
  return {
    reporting_entity_name: 'Blue Harbor Services',
    reporting_entity_type: 'health insurance issuer',
    reporting_structure: entries.map(({ plans, files }) => ({
      reporting_plans: plans,
      in_network_files: files.map((location) => ({ description: 'rates', location })),
    })),
    last_updated_on,
    version: '2.0.0',
  }
}
