import { expect, it } from 'vitest'
import { TableOfContentsChanged } from '../../../loader/plans/read-contents.ts'
import { buildFile, buildItem } from '../../builders/in-network-builder.ts'
import { buildDatedContents, buildPlan } from '../../builders/table-of-contents-builder.ts'
import { fleet, pass, site, useFleet, warehouse } from './use-fleet.ts'

useFleet()

const json = (value: object) => Buffer.from(JSON.stringify(value))
const requestsOf = (path: string) => site.requests.filter((request) => request.path === path).length
const later = (minutes: number) => pass(minutes * 60)

/** A table of contents whose four files are signed anew, for an hour, each time that it is read. */
function serveSigned(date = () => '2026-11-01') {
  const paths = ['99213', '99214', '99215', '99216'].map((code) => {
    const path = `/${code}.json`
    site.files.set(path, {
      body: json(buildFile({ in_network: [buildItem({ billing_code: code })] })),
      signed: true,
    })
    return path
  })
  const entries = () => paths.map((path) => ({ plans: [buildPlan(`Plan ${path}`)], files: [site.sign(path, 3600)] }))
  const renew = () =>
    site.files.set('/toc.json', { body: json(buildDatedContents(date(), ...entries())), onRequest: () => renew() })
  renew()
}

const codes = async () => (await warehouse.readRates()).map((row) => row['billing_code']).toSorted()

it('reads the table of contents again once for all workers when signatures have expired', async () => {
  serveSigned()
  const toc = `${site.url}/toc.json`
  await fleet.plan('l1', { toc })
  expect(requestsOf('/toc.json')).toBe(1)
  later(90)
  await Promise.all(['w1', 'w2', 'w3'].map((worker) => fleet.workOn('l1', worker)))
  expect(requestsOf('/toc.json')).toBe(2)
  expect((await fleet.finish('l1')).leftOut).toEqual([])
  expect(await codes()).toEqual(['99213', '99214', '99215', '99216'])
})

it('lets another worker list again if the one that lists is killed', async () => {
  serveSigned()
  await fleet.plan('l1', { toc: `${site.url}/toc.json` })
  later(90)
  await fleet.work.takeTask('l1', 'list', { worker: 'killed', until: new Date(site.now.getTime() + 300_000) }, site.now)
  const waiting = { sleep: async () => later(1), random: () => 0.5 }
  expect(await fleet.workOn('l1', 'w1', { waiting })).toEqual({ files: 4, end: 'finished' })
  expect((await fleet.finish('l1')).leftOut).toEqual([])
})

it('refuses a file whose URL is denied for another reason, without listing again', async () => {
  serveSigned()
  await fleet.plan('l1', { toc: `${site.url}/toc.json`, partial: true })
  site.files.set('/99213.json', { body: json({}), instead: Array.from({ length: 9 }, () => ({ status: 403 })) })
  await fleet.workOn('l1', 'w1')
  expect(requestsOf('/toc.json')).toBe(1)
  expect((await fleet.finish('l1')).leftOut).toMatchObject([
    { reason: `${site.url}/99213.json: answers 403 Forbidden (its signature may have expired)` },
  ])
})

it('fails the load if the table of contents was published again, and switches nothing', async () => {
  let date = '2026-11-01'
  serveSigned(() => date)
  await fleet.plan('l1', { toc: `${site.url}/toc.json` })
  date = '2026-12-01'
  serveSigned(() => date)
  later(90)
  const ends = await Promise.allSettled(['w1', 'w2'].map((worker) => fleet.workOn('l1', worker)))
  const reasons = ends.map((end) => (end.status === 'rejected' ? end.reason : end.value))
  expect(reasons).toContainEqual(expect.any(TableOfContentsChanged))
  const message = `${site.url}/toc.json was published again during the load`
  expect(await warehouse.records.read('l1')).toMatchObject({
    state: 'failed',
    reason: expect.stringContaining(message),
  })
  await expect(fleet.finish('l1')).rejects.toThrow(`the load l1 has failed: ${message}`)
  expect(warehouse.catalogue.entries.size).toBe(0)
  expect(await warehouse.records.listOpen()).toEqual([])
})

it('keeps signatures out of the records, the outcomes and the report', async () => {
  serveSigned()
  site.files.delete('/99213.json')
  const toc = `${site.url}/toc.json?X-Amz-Signature=secret`
  await fleet.plan('l1', { toc })
  await fleet.workOn('l1', 'w1')
  const outcomes = [...(await fleet.work.readOutcomes('l1')).values()]
  const shown = JSON.stringify([outcomes, await fleet.finish('l1'), await warehouse.records.list()])
  expect(shown).toContain('99213.json')
  expect(shown).not.toMatch(/X-Amz|secret/)
})
