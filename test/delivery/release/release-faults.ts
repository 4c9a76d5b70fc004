import * as v from 'valibot'
import { readVersion } from './release-history.ts'

/** The files that state the version, as texts. */
export interface ReleaseFiles {
  readonly 'package.json': string
  readonly 'client/package.json': string
  readonly 'package-lock.json': string
  readonly 'CHANGELOG.md': string
}

/** A section of the changelog. */
interface Section {
  /** Text after `## `. */
  readonly heading: string
  readonly text: string
}

/** A commit that is to be released. */
export interface Candidate {
  /** Version of the commit before it. */
  readonly earlierVersion: string
  readonly commit: string
  /** Commit of the tag `v<version>`; undefined if there is none. */
  readonly taggedCommit: string | undefined
}

const lockfileSchema = v.object({
  version: v.string(),
  packages: v.objectWithRest(
    { '': v.object({ version: v.string() }), client: v.object({ version: v.string() }) },
    v.unknown(),
  ),
})

const unreleased = 'Unreleased'

/** Returns the sections of a changelog, the newest first. */
function readSections(changelog: string): readonly Section[] {
  const [, ...sections] = changelog.split(/^## /m)
  return sections.map((section) => {
    const [heading = '', ...lines] = section.split('\n')
    return { heading: heading.trim(), text: lines.join('\n').trim() }
  })
}

const findNewestRelease = (sections: readonly Section[]) => sections.find(({ heading }) => heading !== unreleased)

/** Returns the text of a version's section in the changelog. */
export function readNotes(changelog: string, version: string): string {
  const section = readSections(changelog).find(({ heading }) => heading.split(' ')[0] === version)
  if (section === undefined) throw new Error(`the changelog has no section ${version}`)
  return section.text
}

/** Lists the places where the files state different versions. This must be empty for every commit. */
export function listVersionFaults(files: ReleaseFiles): readonly string[] {
  const version = readVersion(files['package.json'])
  const lockfile = v.parse(lockfileSchema, JSON.parse(files['package-lock.json']))
  const stated = [
    ['client/package.json', readVersion(files['client/package.json'])],
    ['package-lock.json', lockfile.version],
    ['package-lock.json, packages[""]', lockfile.packages[''].version],
    ['package-lock.json, packages["client"]', lockfile.packages.client.version],
    [
      'the newest release of CHANGELOG.md',
      findNewestRelease(readSections(files['CHANGELOG.md']))?.heading.split(' ')[0],
    ],
  ] as const
  return stated
    .filter(([, other]) => other !== version)
    .map(([place, other]) => `package.json has version ${version}, but ${place} has ${other ?? 'none'}`)
}

/** Lists everything that keeps a commit from being released as the version that it states. */
export function listReleaseFaults(files: ReleaseFiles, candidate: Candidate): readonly string[] {
  const { earlierVersion, commit, taggedCommit } = candidate
  const version = readVersion(files['package.json'])
  const faults = [...listVersionFaults(files)]
  if (!isHigher(version, earlierVersion)) faults.push(`version ${version} is not higher than ${earlierVersion}`)
  if (taggedCommit !== undefined && taggedCommit !== commit)
    faults.push(`the tag v${version} exists already, at ${taggedCommit.slice(0, 12)}`)
  return [...faults, ...listChangelogFaults(readSections(files['CHANGELOG.md']))]
}

function listChangelogFaults(sections: readonly Section[]): readonly string[] {
  const release = findNewestRelease(sections)
  if (release === undefined) return ['CHANGELOG.md has no release']
  const faults: string[] = []
  const [, date = ''] = / – (\d{4}-\d\d-\d\d)$/.exec(release.heading) ?? []
  if (Number.isNaN(Date.parse(date)) || new Date(date).toISOString().slice(0, 10) !== date)
    faults.push(`the heading "${release.heading}" of CHANGELOG.md must be "<version> – <year>-<month>-<day>"`)
  const [, upgrading] = /^### Upgrading\n+([^#\s])/.exec(release.text) ?? []
  if (upgrading === undefined)
    faults.push(`the section "${release.heading}" of CHANGELOG.md must begin with "### Upgrading" and a text`)
  const rest = sections.find(({ heading }) => heading === unreleased)?.text ?? ''
  if (rest !== '') faults.push(`"${unreleased}" in CHANGELOG.md must become a part of "${release.heading}"`)
  return faults
}

/** Compares versions of three numbers; any other form is never higher. */
function isHigher(version: string, earlier: string): boolean {
  const [numbers, earlierNumbers] = [version, earlier].map((text) =>
    /^\d+\.\d+\.\d+$/.test(text) ? text.split('.').map(Number) : [],
  )
  const index = [0, 1, 2].find((place) => numbers?.[place] !== earlierNumbers?.[place])
  return index !== undefined && (numbers?.[index] ?? -1) > (earlierNumbers?.[index] ?? -1)
}
