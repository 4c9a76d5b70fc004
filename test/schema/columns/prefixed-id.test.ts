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

const bucketsOf = (places: Iterable<number>, loadId = 'load') =>
  new Set(Array.from(places, (place) => sourceBucketOf(makePrefixedId({ loadId, place }, uniqueOf(place)))))

const placesFrom = (first: number, count: number) => Array.from({ length: count }, (_, index) => first + index)

describe('the id of a source or content', () => {
  it('puts a thousand consecutive places of a load into one folder', () => {
    expect(bucketsOf(placesFrom(0, 1_000)).size).toBe(1)
    expect(bucketsOf(placesFrom(0, 1_001)).size).toBe(2)
    expect(bucketsOf(placesFrom(700, 1_500)).size).toBe(3)
    expect(bucketsOf(placesFrom(0, 10_000)).size).toBe(10)
  })

  it('spreads loads of one file each over all folders of sources', () => {
    const buckets = new Set(
      placesFrom(0, 20_000).flatMap((load) => [...bucketsOf([0], `load ${load}`)].map((bucket) => Number(bucket))),
    )
    expect(buckets.size).toBeGreaterThan(4_000)
    expect(Math.max(...buckets)).toBeLessThan(4_096)
  })

  it('stays within the length of ids, and differs wherever its random part does', () => {
    const ids = placesFrom(0, 2_500).map((place) => makePrefixedId({ loadId: 'load', place }, uniqueOf(place)))
    expect(new Set(ids).size).toBe(2_500)
    expect(new Set(ids.map(({ length }) => length))).toEqual(new Set([maxIdLength]))
  })

  it('shares its folder exactly with places of the same load and the same thousand, up to equal hashes', () => {
    assert(
      property(string(), nat(10_000_000), nat(999), (loadId, place, other) => {
        const neighbour = place - (place % 1_000) + other
        expect(bucketsOf([place, neighbour], loadId).size).toBe(1)
        const [one = '', next = ''] = [place, place + 1_000].map((each) => makePrefixedId({ loadId, place: each }, 'x'))
        expect(one).not.toBe(next)
      }),
    )
  })

  it('takes no mark in a load that an earlier version began, which noted no places', () => {
    expect(makePrefixedId({ loadId: 'load' }, uniqueOf(7))).toBe(uniqueOf(7))
  })
})

describe('a folder', () => {
  it('follows from the id of a source alone, and is the same in both tables', () => {
    const sourceId = makePrefixedId({ loadId: 'load', place: 5 }, uniqueOf(1))
    const folders = sourceTables.map((table) => folderPath(table, sourceUnit({ loadId: 'another load', sourceId })))
    expect(folders).toEqual(sourceTables.map(({ name }) => `${name}/bucket=${sourceBucketOf(sourceId)}/`))
  })

  it('follows from the mark in the id of a content, and marks are spread over all folders', () => {
    const idOf = (load: number, place: number) =>
      makePrefixedId({ loadId: `load ${load}`, place }, uniqueOf(load * 1_000 + place))
    const foldersOf = (ids: readonly string[]) => new Set(ids.map((id) => folderPath(contentTable, contentUnit(id))))
    const neighbours = placesFrom(0, 1_000).map((place) => idOf(0, place))
    expect(foldersOf(neighbours)).toEqual(
      new Set([`${contentTable.name}/bucket=${bucketOf(contentTable, idOf(0, 999))}/`]),
    )
    expect(foldersOf(placesFrom(0, 5_000).map((load) => idOf(load, 0))).size).toBe(256)
  })
})
