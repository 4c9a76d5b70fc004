import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readText } from '../../templates/source-files.ts'
import { listReleaseFaults, listVersionFaults, type ReleaseFiles, readNotes } from './release-faults.ts'

const commit = 'a'.repeat(40)
const candidate = { earlierVersion: '0.2.0', commit, taggedCommit: undefined }

/** The files of a proper release of 0.3.0, with changes. */
const writeFiles = (changes: Partial<ReleaseFiles> = {}): ReleaseFiles => ({
  'package.json': JSON.stringify({ version: '0.3.0' }),
  'client/package.json': JSON.stringify({ version: '0.3.0' }),
  'package-lock.json': writeLockfile('0.3.0', '0.3.0', '0.3.0'),
  'CHANGELOG.md': writeChangelog('## 0.3.0 – 2026-11-26\n\n### Upgrading\n\n- Nothing to do.\n'),
  ...changes,
})

const writeLockfile = (version: string, own: string, client: string) =>
  JSON.stringify({
    version,
    packages: { '': { version: own }, client: { version: client }, 'node_modules/ajv': { version: '8.20.0' } },
  })

const writeChangelog = (newest: string) => `# Changelog\n\n${newest}\n## 0.2.0 – 2026-11-22\n\n### Fixed\n\n- All.\n`

const faultsOf = (changes: Partial<ReleaseFiles>) => listReleaseFaults(writeFiles(changes), candidate)

describe('the present commit', () => {
  it('states the same version in every file, and in the newest release of the changelog', () => {
    const files = {
      'package.json': readText('package.json'),
      'client/package.json': readText('client/package.json'),
      'package-lock.json': readText('package-lock.json'),
      'CHANGELOG.md': readText('CHANGELOG.md'),
    }
    expect(listVersionFaults(files)).toEqual([])
  })
})

describe('a release', () => {
  it('needs the same version everywhere, a higher one than before, a dated section and instructions', () => {
    expect(listReleaseFaults(writeFiles(), candidate)).toEqual([])
    const empty = writeChangelog('## Unreleased\n\n## 0.3.0 – 2026-11-26\n\n### Upgrading\n\n- Nothing to do.\n')
    expect(faultsOf({ 'CHANGELOG.md': empty })).toEqual([])
  })

  it('names every file that states another version', () => {
    const faults = faultsOf({
      'client/package.json': JSON.stringify({ version: '0.2.0' }),
      'package-lock.json': writeLockfile('0.2.1', '0.2.2', '0.2.3'),
      'CHANGELOG.md': '# Changelog\n',
    })
    expect(faults).toEqual([
      'package.json has version 0.3.0, but client/package.json has 0.2.0',
      'package.json has version 0.3.0, but package-lock.json has 0.2.1',
      'package.json has version 0.3.0, but package-lock.json, packages[""] has 0.2.2',
      'package.json has version 0.3.0, but package-lock.json, packages["client"] has 0.2.3',
      'package.json has version 0.3.0, but the newest release of CHANGELOG.md has none',
      'CHANGELOG.md has no release',
    ])
  })

  it.each([
    [
      '## 0.3.0\n\n### Upgrading\n\n- x\n',
      'the heading "0.3.0" of CHANGELOG.md must be "<version> – <year>-<month>-<day>"',
    ],
    [
      '## 0.3.0 – 2026-02-30\n\n### Upgrading\n\n- x\n',
      'the heading "0.3.0 – 2026-02-30" of CHANGELOG.md must be "<version> – <year>-<month>-<day>"',
    ],
    [
      '## 0.3.0 – 2026-11-26\n\n### Added\n\n- x\n\n### Upgrading\n\n- y\n',
      'the section "0.3.0 – 2026-11-26" of CHANGELOG.md must begin with "### Upgrading" and a text',
    ],
    [
      '## 0.3.0 – 2026-11-26\n\n### Upgrading\n\n### Added\n\n- x\n',
      'the section "0.3.0 – 2026-11-26" of CHANGELOG.md must begin with "### Upgrading" and a text',
    ],
    [
      '## Unreleased\n\n- left\n\n## 0.3.0 – 2026-11-26\n\n### Upgrading\n\n- x\n',
      '"Unreleased" in CHANGELOG.md must become a part of "0.3.0 – 2026-11-26"',
    ],
  ])('needs a section that is ready, unlike %j', (section, fault) => {
    expect(faultsOf({ 'CHANGELOG.md': writeChangelog(section) })).toEqual([fault])
  })

  it('never moves a tag, but goes on if an earlier run has made the tag at this commit', () => {
    const other = { ...candidate, taggedCommit: 'b'.repeat(40) }
    expect(listReleaseFaults(writeFiles(), other)).toEqual(['the tag v0.3.0 exists already, at bbbbbbbbbbbb'])
    expect(listReleaseFaults(writeFiles(), { ...candidate, taggedCommit: commit })).toEqual([])
  })

  it('needs a higher version than the commit before, number by number', () => {
    const version = fc.tuple(fc.nat(20), fc.nat(20), fc.nat(20))
    fc.assert(
      fc.property(version, version, (numbers, earlier) => {
        const text = numbers.join('.')
        const files = writeFiles({
          'package.json': JSON.stringify({ version: text }),
          'client/package.json': JSON.stringify({ version: text }),
          'package-lock.json': writeLockfile(text, text, text),
          'CHANGELOG.md': writeChangelog(`## ${text} – 2026-11-26\n\n### Upgrading\n\n- x\n`),
        })
        const weight = ([major, minor, patch]: readonly [number, number, number]) => major * 441 + minor * 21 + patch
        const expected =
          weight(numbers) > weight(earlier) ? [] : [`version ${text} is not higher than ${earlier.join('.')}`]
        expect(listReleaseFaults(files, { ...candidate, earlierVersion: earlier.join('.') })).toEqual(expected)
      }),
    )
  })

  it('takes the notes from the section of the version alone', () => {
    const { 'CHANGELOG.md': changelog } = writeFiles()
    expect(readNotes(changelog, '0.3.0')).toBe('### Upgrading\n\n- Nothing to do.')
    expect(readNotes(changelog, '0.2.0')).toBe('### Fixed\n\n- All.')
    expect(() => readNotes(changelog, '0.1.0')).toThrow('the changelog has no section 0.1.0')
  })
})
