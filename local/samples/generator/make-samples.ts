import { basename } from 'node:path'
import { individualFiles, nppesFile, octoberFiles, octoberFolder } from '../sample-data.ts'
import { formatInNetworkFile, type InNetworkFile, readInNetworkFile } from './in-network-file.ts'
import { makeMonthBefore } from './month-before.ts'
import { nppesHeader, writeNppes } from './nppes-layout.ts'
import { type ListedPractice, makeNppesLines } from './nppes-lines.ts'
import { employerPlans, makePlanFiles } from './plans.ts'
import { makePractices } from './practices.ts'

/**
 * Makes the samples that are not kept by hand: the two plans of an employer, the month before of all plans, and NPPES.
 *
 * @returns the text of each sample by its path below the folder of samples, where it is compressed; the same at every
 *   call
 */
export function makeSamples(): Readonly<Record<string, string>> {
  const practices = makePractices()
  const individual = Object.fromEntries(
    individualFiles.map((path) => [`${basename(path)}.gz`, readInNetworkFile(path)]),
  )
  const employer = Object.assign({}, ...employerPlans.map((plan) => makePlanFiles(plan, practices)))
  const november: Readonly<Record<string, InNetworkFile>> = { ...individual, ...employer }
  const allPractices = [...practices, ...Object.values(individual).flatMap(practicesIn)]
  const october = octoberFiles
    .map((path) => basename(path))
    .map((name) => {
      const file = november[name]
      if (file === undefined) throw new TypeError(`${name} is a sample of October only`)
      return [`${octoberFolder}/${name}`, makeMonthBefore(file)] as const
    })
  return {
    ...writeAll(employer),
    ...writeAll(Object.fromEntries(october)),
    [nppesFile]: writeNppes(makeNppesLines(keepFirst(allPractices)), '\n', nppesHeader),
  }
}

const writeAll = (files: Readonly<Record<string, InNetworkFile>>) =>
  Object.fromEntries(Object.entries(files).map(([name, file]) => [name, formatInNetworkFile(file)]))

const practicesIn = ({ provider_references }: InNetworkFile): readonly ListedPractice[] =>
  provider_references.flatMap(({ provider_groups }) =>
    provider_groups.map(({ npi, tin }) => ({ tin: tin.value, name: tin.business_name, npis: npi })),
  )

/**
 * Leaves each NPI to the first practice that has it: payers list a practice in several files, but NPPES has one line
 * for an NPI. NPI 0, which stands for a rate of a whole TIN, has no line.
 */
function keepFirst(practices: readonly ListedPractice[]): readonly ListedPractice[] {
  const assignedNpis = new Set([0])
  return practices.map((practice) => {
    const npis = practice.npis.filter((npi) => !assignedNpis.has(npi))
    for (const npi of npis) assignedNpis.add(npi)
    return { ...practice, npis }
  })
}
