import { describe, expect, it } from 'vitest'
import { alarmMetrics, priceIdle, stageKinds } from '../../../bin/documents/prices/idle-price.ts'
import { describePriceTables, writePriceTables } from '../../../bin/documents/prices/price-tables.ts'
import { ownRelations, priceRefreshDay, refreshesADay } from '../../../bin/documents/prices/refresh-price.ts'
import {
  countRequests,
  fixedParts,
  largeFile,
  largeFileInPart,
  plansOfFiles,
  priceQuery,
  priceRetry,
  priceRows,
  priceSearch,
  smallFile,
  sumPrice,
  transitions,
} from '../../../bin/documents/prices/search-price.ts'
import { requireStage } from '../../../lib/stage/stage-files.ts'
import { at } from '../../../schema/at.ts'
import { warehouseTables } from '../../../schema/columns/warehouse-tables.ts'
import { readText } from '../../templates/source-files.ts'

const million = 1_000_000
const pages = ['docs/costs.md', 'docs/measured/price-of-a-search.md']
const plan = at(plansOfFiles, 0)
const inMillion = (dollars: number) => Math.round(dollars * million)

describe('the price of a search', () => {
  it('equals the sum that the price lists give by hand', () => {
    const price = priceSearch(plan, smallFile, transitions.twoSteps)
    const byHand =
      5 * 25 + // transitions
      10 * 5 + // megabytes at $5 a terabyte
      (9 + 7) * 5 + // PUT and LIST
      (17 + 8) * 0.4 + // GET
      6 * 3.5 + // calls of the API
      20 * 0.625 + // write units
      32 * 0.125 + // read units
      1 + // event
      8 * 0.2 + // invocations
      0.8 * 13.3334 + // gigabyte seconds
      4 + // requests to Glue
      9 * 0.5 // kilobytes of logs
    expect(sumPrice(price) * million).toBeCloseTo(byHand, 6)
    expect(inMillion(fixedParts.reduce((sum, { dollars }) => sum + dollars, 0))).toBe(111)
  })

  it('drops by two transitions if one step does all', () => {
    const priceOf = (count: number) => sumPrice(priceSearch(plan, largeFile, count))
    expect(inMillion(priceOf(transitions.twoSteps) - priceOf(transitions.oneStep))).toBe(50)
  })

  it('rises by the query and three transitions with each further attempt', () => {
    const byHand = 3 * 25 + 10 * 5 + 3 * 5 + 7 * 5 + 8 * 0.4 + 0.2 + 0.6 * 13.3334
    expect(priceRetry(plan, smallFile) * million).toBeCloseTo(byHand, 6)
  })

  it('pays at least for 10 MB, and for each byte above', () => {
    expect(inMillion(priceQuery(0))).toBe(50)
    expect(inMillion(priceQuery(10_000_000))).toBe(50)
    expect(inMillion(priceQuery(20_000_000))).toBe(100)
    expect(priceQuery(1e12)).toBe(5)
  })

  it('doubles its LIST and GET in the margin, and adds the statistics', () => {
    for (const each of plansOfFiles) {
      const { requests, margin } = priceSearch(each, largeFile, transitions.twoSteps)
      expect(inMillion(margin - requests)).toBe(each.statistics)
    }
  })

  it('counts fewer bytes and more requests if files are read in part', () => {
    for (const each of plansOfFiles) {
      const [whole, part] = [countRequests(each, largeFile), countRequests(each, largeFileInPart)]
      expect(part.bytes).toBeLessThan(whole.bytes)
      expect(part.gets).toBeGreaterThan(whole.gets)
    }
  })

  it('includes one LIST for each folder of prices and groups if nothing is listed or named', () => {
    const folders = warehouseTables
      .filter(({ name }) => name === 'negotiated_rates' || name === 'provider_groups')
      .reduce((sum, { buckets }) => sum + buckets, 0)
    const section = readText('docs/costs.md')
    expect(section).toContain(`lists all ${folders.toLocaleString('en')} folders, $${(folders * 0.000005).toFixed(3)}`)
  })
})

describe('the price of rows', () => {
  it('pays for keeping and sending their bytes', () => {
    const { keeping, egress } = priceRows(1_000 * million)
    expect(keeping).toBeCloseTo(11 * 0.023 * 0.3, 9)
    expect(egress).toBeCloseTo(11 * 0.09, 9)
  })
})

describe('the price of refreshes of an own relation', () => {
  it('stays below the sum of the timer and the allowance of forced refreshes', () => {
    expect(refreshesADay).toEqual({ timer: 96, forced: 101 })
    const { timer, forced } = priceRefreshDay(at(ownRelations, 2))
    expect(timer).toBeGreaterThan(96 * 0.5)
    expect(timer + forced).toBeLessThan(100)
  })
})

describe('the price of an idle stage', () => {
  const kindOf = (label: string) => {
    const kind = stageKinds.find((each) => each.label.startsWith(label))
    if (kind === undefined) throw new Error(`no kind of stage is called ${label}`)
    return kind
  }

  it('stays below $2 a month without alarms', () => {
    expect(priceIdle(kindOf('`dev`'))).toBeLessThan(2)
  })

  it('equals the sum that the price lists give by hand', () => {
    const byHand =
      alarmMetrics.everyStage * 0.1 +
      3 + // dashboard
      5 * 0.3 + // metrics of the sweeper
      0.1296 * 0.2 + // million invocations
      43_200 * (0.1 * 0.5 + 0.03 * 1 + 0.03 * 0.25) * 0.0000133334 + // gigabyte seconds
      0.0432 * 11 * 0.125 + // million read units
      (43_200 * (1500 + 800 + 800) * 0.5) / 1e9 // gigabytes of logs
    expect(priceIdle(kindOf('`prod`'))).toBeCloseTo(byHand, 6)
  })

  it('describes the stages whose files the project has', () => {
    expect(requireStage('dev').alarms).toBe(false)
    expect(requireStage('prod').alarms).toBe(true)
  })
})

describe('the documents of prices', () => {
  it.each(pages)('%s shows the tables that npm run schema writes', (path) => {
    expect(writePriceTables(readText(path))).toBe(readText(path))
  })

  it('show each table', () => {
    const texts = pages.map(readText).join('\n')
    for (const table of describePriceTables()) expect(texts).toContain(`\n${table.join('\n')}\n`)
  })
})

describe('writing the tables of prices', () => {
  it('replaces a table by its header, and leaves the paragraphs around it', () => {
    const table = at(describePriceTables(), 0)
    const page = `Before\n\n${table[0]}\n|---|\n| old |\n\nAfter\n`
    expect(writePriceTables(page)).toBe(`Before\n\n${table.join('\n')}\n\nAfter\n`)
  })
})
