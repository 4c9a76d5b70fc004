import { describe, expect, it } from 'vitest'
import { readText } from './source-files.ts'
import type { TableShapes } from './table-updates.ts'
import { findUpdateFaults } from './table-updates.ts'
import type { JsonObject } from './templates.ts'
import { dev, ofType } from './templates.ts'

const tables = ofType(dev().service, 'AWS::DynamoDB::GlobalTable')

const index = (name: string, attributes: readonly string[] = []): JsonObject => ({
  IndexName: name,
  KeySchema: [{ AttributeName: name, KeyType: 'HASH' }],
  Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: attributes },
})

const jobs = (...indexes: readonly JsonObject[]): TableShapes => ({
  Jobs: { KeySchema: [{ AttributeName: 'org_id', KeyType: 'HASH' }], GlobalSecondaryIndexes: indexes },
})

describe('an update of the tables that are deployed', () => {
  it('is one that DynamoDB carries out in place', () => {
    // The tables as operators have them; change it only when every stage runs a release with other ones.
    const deployed: TableShapes = JSON.parse(readText('test/fixtures/deployed-tables.json'))
    const next = Object.fromEntries(tables.map(({ id, properties }) => [id, properties]))
    expect(Object.keys(deployed).filter((id) => id in next)).not.toEqual([])
    expect(findUpdateFaults(deployed, next)).toEqual([])
  })

  it('may add one index to a table', () => {
    expect(findUpdateFaults(jobs(index('unended')), jobs(index('unended'), index('listed')))).toEqual([])
  })

  it('cannot add two at once', () => {
    const next = jobs(index('unended'), index('listed'), index('usage'))
    expect(findUpdateFaults(jobs(index('unended')), next)).toEqual(['Jobs: 2 indexes are added at once: listed, usage'])
  })

  it('may not remove an index, which functions of the release before still query', () => {
    expect(findUpdateFaults(jobs(index('unended')), jobs())).toEqual(['Jobs: the index unended is removed'])
  })

  it('cannot change what an index holds', () => {
    expect(findUpdateFaults(jobs(index('unended')), jobs(index('unended', ['run'])))).toEqual([
      'Jobs: the index unended changes',
    ])
  })

  it('may not change the keys of a table, which would be replaced by an empty one', () => {
    const next: TableShapes = { Jobs: { KeySchema: [{ AttributeName: 'job_id', KeyType: 'HASH' }] } }
    expect(findUpdateFaults(jobs(), next)).toEqual(['Jobs: its keys change'])
  })
})
