import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { type LoadedFixtures, loadFixtures } from './stand-in/load-fixtures.ts'
import { type StandIn, startStandIn } from './stand-in/stand-in.ts'

/** A stand-in for Athena with the loaded fixtures; its folder has a mirror of the tables, `warehouse`. */
export type TrinoUnderTest = Omit<StandIn, typeof Symbol.asyncDispose> & LoadedFixtures

declare module 'vitest' {
  interface ProvidedContext {
    readonly trino: TrinoUnderTest
  }
}

/** Starts the stand-in and loads the fixtures, once per run. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const standIn = await startStandIn()
  try {
    const { url, awsUrl, requestLog, location, fileLists, folder } = standIn
    const fixtures = await loadFixtures(awsUrl, location, join(folder, 'warehouse'))
    project.provide('trino', { url, awsUrl, requestLog, location, fileLists, folder, ...fixtures })
  } catch (error) {
    await standIn[Symbol.asyncDispose]()
    throw error
  }
  return async () => standIn[Symbol.asyncDispose]()
}
