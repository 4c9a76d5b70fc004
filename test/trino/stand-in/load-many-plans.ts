import { buildPlan, buildTableOfContents } from '../../builders/table-of-contents-builder.ts'
import { buildManyFiles } from '../many-files.ts'
import { type LoadedApart, loadApart } from './load-apart.ts'

/** Number of files that the plans share. */
export const sharedFiles = 20

/** Returns different choices of files, each of all but one or two. Of 20 files there are 210. */
function listChoices(files: readonly string[]): readonly (readonly string[])[] {
  return files.flatMap((first, index) =>
    files.slice(index).map((second) => files.filter((file) => file !== first && file !== second)),
  )
}

/**
 * Loads plans that share files in nearly equal sets, from one table of contents.
 *
 * @param count at most 210
 */
export const loadManyPlans = (awsUrl: string, count: number): Promise<LoadedApart> =>
  loadApart(awsUrl, 'many-plans', async (local) => {
    const names = Array.from({ length: sharedFiles }, (_, index) => `shared-${index}.json`)
    for (const [index, file] of buildManyFiles(sharedFiles).entries()) await local.write(names[index] ?? '', file)
    const addresses = names.map((name) => `https://rates.example/${name}`)
    const entries = listChoices(addresses)
      .slice(0, count)
      .map((chosen, index) => ({ plans: [buildPlan(`Plan ${index}`)], files: chosen }))
    return { files: [], toc: await local.write('toc.json', buildTableOfContents(...entries)) }
  })
