import { at, type Json, type JsonObject, listOf, render } from './templates.ts'

/** Tables by logical id, each with its `KeySchema` and `GlobalSecondaryIndexes`. */
export type TableShapes = Readonly<Record<string, JsonObject>>

/**
 * Lists changes of deployed tables that CloudFormation would refuse, or make by replacing a table with an empty one.
 * Source: DynamoDB API, UpdateTable (one index is created or deleted at a time, and an index is never changed), and
 * CloudFormation, AWS::DynamoDB::GlobalTable, KeySchema (a change replaces the table).
 */
export function findUpdateFaults(deployed: TableShapes, next: TableShapes): readonly string[] {
  return Object.entries(deployed).flatMap(([id, before]) => {
    const after = next[id]
    if (after === undefined) return []
    const [old, now] = [indexesOf(before), indexesOf(after)]
    const added = [...now.keys()].filter((name) => !old.has(name))
    return [
      ...(isSame(before['KeySchema'], after['KeySchema']) ? [] : [`${id}: its keys change`]),
      ...(added.length > 1 ? [`${id}: ${added.length} indexes are added at once: ${added.join(', ')}`] : []),
      ...[...old].flatMap(([name, index]) => {
        if (!now.has(name)) return [`${id}: the index ${name} is removed`]
        return isSame(index, now.get(name)) ? [] : [`${id}: the index ${name} changes`]
      }),
    ]
  })
}

const indexesOf = (table: JsonObject): ReadonlyMap<string, Json> =>
  new Map(listOf(table['GlobalSecondaryIndexes']).map((index) => [render(at(index, 'IndexName')), index]))

const isSame = (one: Json | undefined, other: Json | undefined) => JSON.stringify(one) === JSON.stringify(other)
