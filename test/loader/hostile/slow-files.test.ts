import { describe, expect, it } from 'vitest'
import type { LoadProgress } from '../../../loader/publish/load-request.ts'
import { FileWatch } from '../../../loader/write/file-watch.ts'
import { realMachine } from '../../../loader/write/machine.ts'
import { buildFile, buildItem } from '../../builders/in-network-builder.ts'
import { testMachine } from '../../builders/test-machine.ts'
import { createTestWarehouse } from '../../builders/test-warehouse.ts'

/** A machine on which each look at the clock costs many seconds while a costly file is read. */
function slowMachine(seconds: number) {
  let [used, isCostly] = [0, false]
  return {
    machine: {
      ...testMachine(),
      cpuSeconds() {
        if (isCostly) used += seconds
        return used
      },
    },
    onProgress(progress: LoadProgress) {
      if (progress.step === 'reading') isCostly = progress.file.includes('costly')
    },
  }
}

const planFile = (plan: string) => buildFile({ plan_name: plan, in_network: [buildItem()] })

const contentsOf = (files: readonly string[]) => ({
  reporting_entity_name: 'Harbor',
  version: '2.0.0',
  reporting_structure: files.map((name) => ({
    reporting_plans: [{ plan_name: name, plan_id_type: 'hios', plan_id: '12345' }],
    in_network_files: [{ description: '', location: `https://files.example/${name}.json` }],
  })),
})

describe('a load of a file that takes too much processor time', () => {
  it.each([
    ['while it is read', 301],
    ['while it is written', 120],
  ])('refuses the file %s, and loads the other plans', async (_, seconds) => {
    await using warehouse = await createTestWarehouse()
    for (const name of ['costly', 'honest']) await warehouse.write(`${name}.json`, planFile(name))
    const toc = await warehouse.write('toc.json', contentsOf(['costly', 'honest']))
    const report = await warehouse.load({ toc, files: [] }, slowMachine(seconds))
    expect(report.refused).toEqual([
      {
        name: expect.stringContaining('costly.json'),
        reason: expect.stringMatching(/^took 3\d\d s of processor time/),
      },
    ])
    expect(report.leftOut.map(({ name }) => name)).toEqual([expect.stringContaining('costly')])
    expect(report.switched.some(({ plan }) => plan.startsWith('honest'))).toBe(true)
  })

  it('loads the file if the operator allows the time', async () => {
    await using warehouse = await createTestWarehouse()
    const path = await warehouse.write('costly.json', planFile('costly'))
    const { refused } = await warehouse.load({ files: [path], maxCpu: 1000 }, slowMachine(301))
    expect(refused).toEqual([])
  })

  it.each([1, 2])('measures the time of each process, with %i workers', async (workers) => {
    await using warehouse = await createTestWarehouse()
    const files = [
      await warehouse.write('one.json', planFile('one')),
      await warehouse.write('two.json', planFile('two')),
    ]
    // No processor is that fast.
    const request = { files, maxCpu: 1e-12, partial: true }
    const error: unknown = await warehouse
      .load(request, { workers, machine: realMachine })
      .catch((reason: unknown) => reason)
    expect(String(error)).toContain('of processor time')
    expect(error).toMatchObject({ refused: files.map((name) => ({ name })) })
  })
})

describe('the processor time of a file', () => {
  const watchAt = (clock: { seconds: number }, maxCpu?: number) =>
    new FileWatch('rates.json', { machine: { ...testMachine(), cpuSeconds: () => clock.seconds }, maxCpu })

  it('may be five minutes for any file, and ten seconds a megabyte for a larger one', () => {
    const clock = { seconds: 1000 }
    const watch = watchAt(clock)
    clock.seconds += 300
    watch.noteText(1)
    clock.seconds += 1
    expect(() => watch.look()).toThrow('took 301 s of processor time for 0.0 MB of JSON text')
    watch.noteText(40e6)
    clock.seconds += 98
    expect(() => watch.look()).not.toThrow()
    clock.seconds += 2
    expect(() => watch.look()).toThrow('took 401 s of processor time for 40.0 MB')
  })

  it('costs one look at the clock for many small objects', () => {
    let looks = 0
    const cpuSeconds = () => looks++
    const watch = new FileWatch('rates.json', { machine: { ...testMachine(), cpuSeconds } })
    for (let part = 0; part < 102_400; part++) watch.notePart()
    expect(looks).toBe(101)
  })

  it('ends with the signal of the load', () => {
    const reason = new Error('stopped')
    const watch = new FileWatch('rates.json', { machine: testMachine(), signal: AbortSignal.abort(reason) })
    expect(() => watch.look()).toThrow(reason)
  })
})
