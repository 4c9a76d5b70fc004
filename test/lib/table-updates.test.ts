import { describe, expect, it } from 'vitest'
import { readText } from '../templates/source-files.ts'
import { findUpdateFaults, type TableShapes } from '../templates/table-updates.ts'
import { dev, type JsonObject, ofType } from '../templates/templates.ts'

const tables = ofType(dev().service, 'AWS::DynamoDB::GlobalTable')

const index = (name: string, attributes: readonly string[] = []): JsonObject => ({
  IndexName: name,
  KeySchema: [{ AttributeName: name, KeyType: 'HASH' }],
  Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: attributes },
})

const jobs = (...indexes: readonly JsonObject[]): TableShapes => ({
  Jobs: { KeySchema: [{ AttributeName: 'org_id', KeyType: 'HASH' }], GlobalSecondaryIndexes: indexes },
})

describe('an update of deployed tables', () => {
  it('to the current templates can be done in place', () => {
    const {
      Resources,
    }: { readonly Resources: Readonly<Record<string, { readonly Type: string; readonly Properties: JsonObject }>> } =
      JSON.parse(readText('test/fixtures/deployed-stages/0.3.0.json'))
    const deployed: TableShapes = Object.fromEntries(
      Object.entries(Resources).flatMap(([id, { Type, Properties }]) =>
        Type === 'AWS::DynamoDB::GlobalTable' ? [[id, Properties]] : [],
      ),
    )
    const next = Object.fromEntries(tables.map(({ id, properties }) => [id, properties]))
    expect(Object.keys(deployed).filter((id) => id in next)).not.toEqual([])
    expect(findUpdateFaults(deployed, next)).toEqual([])
  })

  it('can add one index to a table', () => {
    expect(findUpdateFaults(jobs(index('unended')), jobs(index('unended'), index('listed')))).toEqual([])
  })

  it('cannot add two indexes at once', () => {
    const next = jobs(index('unended'), index('listed'), index('usage'))
    expect(findUpdateFaults(jobs(index('unended')), next)).toEqual(['Jobs: 2 indexes are added at once: listed, usage'])
  })

  it('must not remove an index that functions of the previous release still query', () => {
    expect(findUpdateFaults(jobs(index('unended')), jobs())).toEqual(['Jobs: the index unended is removed'])
  })

  it('cannot change the attributes of an index', () => {
    expect(findUpdateFaults(jobs(index('unended')), jobs(index('unended', ['run'])))).toEqual([
      'Jobs: the index unended changes',
    ])
  })

  it('must not change the keys of a table, because an empty table would replace it', () => {
    const next: TableShapes = { Jobs: { KeySchema: [{ AttributeName: 'job_id', KeyType: 'HASH' }] } }
    expect(findUpdateFaults(jobs(), next)).toEqual(['Jobs: its keys change'])
  })
})
