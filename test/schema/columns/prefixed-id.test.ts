import { assert, nat, property, string } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { maxIdLength } from '../../../core/search/statement.ts'
import { makePrefixedId } from '../../../schema/columns/prefixed-id.ts'
import {
  bucketOf,
  contentTable,
  contentUnit,
  folderPath,
  sourceBucketOf,
  sourceTables,
  sourceUnit,
} from '../../../schema/columns/warehouse-tables.ts'

/** An id as commands make them, different for each number. */
const uniqueOf = (number: number) => String(number).padStart(20, '0')

const bucketsOf = (positions: Iterable<number>, loadId = 'load') =>
  new Set(Array.from(positions, (position) => sourceBucketOf(makePrefixedId({ loadId, position }, uniqueOf(position)))))

const positionsFrom = (first: number, count: number) => Array.from({ length: count }, (_, index) => first + index)

describe('the id of a source or content', () => {
  it('puts a thousand consecutive positions of a load into one folder', () => {
    expect(bucketsOf(positionsFrom(0, 1_000)).size).toBe(1)
    expect(bucketsOf(positionsFrom(0, 1_001)).size).toBe(2)
    expect(bucketsOf(positionsFrom(700, 1_500)).size).toBe(3)
    expect(bucketsOf(positionsFrom(0, 10_000)).size).toBe(10)
  })

  it('spreads loads of one file each over all folders of sources', () => {
    const buckets = new Set(
      positionsFrom(0, 20_000).flatMap((load) => [...bucketsOf([0], `load ${load}`)].map((bucket) => Number(bucket))),
    )
    expect(buckets.size).toBeGreaterThan(4_000)
    expect(Math.max(...buckets)).toBeLessThan(4_096)
  })

  it('stays within the length of ids, and differs wherever its random part does', () => {
    const ids = positionsFrom(0, 2_500).map((position) =>
      makePrefixedId({ loadId: 'load', position }, uniqueOf(position)),
    )
    expect(new Set(ids).size).toBe(2_500)
    expect(new Set(ids.map(({ length }) => length))).toEqual(new Set([maxIdLength]))
  })

  it('shares its folder exactly with positions of the same load and the same thousand, up to equal hashes', () => {
    assert(
      property(string(), nat(10_000_000), nat(999), (loadId, position, other) => {
        const neighbour = position - (position % 1_000) + other
        expect(bucketsOf([position, neighbour], loadId).size).toBe(1)
        const [one = '', next = ''] = [position, position + 1_000].map((each) =>
          makePrefixedId({ loadId, position: each }, 'x'),
        )
        expect(one).not.toBe(next)
      }),
    )
  })

  it('takes no mark in a load that an earlier version began, which noted no positions', () => {
    expect(makePrefixedId({ loadId: 'load' }, uniqueOf(7))).toBe(uniqueOf(7))
  })
})

describe('a folder', () => {
  it('follows from the id of a source alone, and is the same in both tables', () => {
    const sourceId = makePrefixedId({ loadId: 'load', position: 5 }, uniqueOf(1))
    const folders = sourceTables.map((table) => folderPath(table, sourceUnit({ loadId: 'another load', sourceId })))
    expect(folders).toEqual(sourceTables.map(({ name }) => `${name}/bucket=${sourceBucketOf(sourceId)}/`))
  })

  it('follows from the mark in the id of a content, and marks are spread over all folders', () => {
    const idOf = (load: number, position: number) =>
      makePrefixedId({ loadId: `load ${load}`, position }, uniqueOf(load * 1_000 + position))
    const foldersOf = (ids: readonly string[]) => new Set(ids.map((id) => folderPath(contentTable, contentUnit(id))))
    const neighbours = positionsFrom(0, 1_000).map((position) => idOf(0, position))
    expect(foldersOf(neighbours)).toEqual(
      new Set([`${contentTable.name}/bucket=${bucketOf(contentTable, idOf(0, 999))}/`]),
    )
    expect(foldersOf(positionsFrom(0, 5_000).map((load) => idOf(load, 0))).size).toBe(256)
  })
})
