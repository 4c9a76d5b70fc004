import type fc from 'fast-check'
import type { Ports } from './ports.ts'

/** Wraps every port, so that any call can be made to fail and a scheduler can delay it. */

export interface Gates {
  /** After how many calls one fails, and whether it is carried out first; undefined for none. */
  crash: { calls: number; readonly isDone: boolean } | undefined
  /** Number of calls that were made to fail. */
  crashes: number
  /** Chooses the order in which concurrent calls are carried out; undefined to carry them out in turn. */
  scheduler: fc.Scheduler | undefined
}

/** The error of a call that was made to fail. */
export class Crashed extends Error {
  override readonly name = 'Crashed'
}

export function gatePorts(ports: Ports, gates: Gates): Ports {
  const breaking =
    <Given extends readonly unknown[], Result>(call: (...given: Given) => Promise<Result>) =>
    async (...given: Given): Promise<Result> => {
      if (gates.crash !== undefined) gates.crash.calls -= 1
      const crash = gates.crash?.calls === 0 ? gates.crash : undefined
      if (crash !== undefined) {
        gates.crash = undefined
        gates.crashes += 1
      }
      if (crash?.isDone === false) throw new Crashed('broken before')
      const result = await call(...given)
      if (crash?.isDone) throw new Crashed('broken after')
      return result
    }
  const gate =
    <Given extends readonly unknown[], Result>(call: (...given: Given) => Promise<Result>) =>
    async (...given: Given): Promise<Result> => {
      await gates.scheduler?.schedule(Promise.resolve())
      const [called] = await Promise.allSettled([breaking(call)(...given)])
      await gates.scheduler?.schedule(Promise.resolve())
      if (called.status === 'rejected') throw called.reason
      return called.value
    }
  const {
    access,
    lookup,
    jobs,
    unended,
    catalogue,
    contents,
    queries,
    workflow,
    resultFiles,
    signer,
    log,
    countEnd,
    usages,
    reviews,
  } = ports
  return {
    access: { readAccess: gate(access.readAccess), noteUse: gate(access.noteUse) },
    lookup: { lookUp: gate(lookup.lookUp) },
    recordedLookup: { lookUp: gate(ports.recordedLookup.lookUp) },
    list: { list: gate(ports.list.list), read: gate(ports.list.read) },
    jobs: {
      create: gate(jobs.create),
      read: gate(jobs.read),
      readRequest: gate(jobs.readRequest),
      begin: gate(jobs.begin),
      noteQuery: gate(jobs.noteQuery),
      noteAttempt: gate(jobs.noteAttempt),
      touch: gate(jobs.touch),
      complete: gate(jobs.complete),
      fail: gate(jobs.fail),
      noteAnnounced: gate(jobs.noteAnnounced),
      remove: gate(jobs.remove),
    },
    unended: { list: gate(unended.list), postpone: gate(unended.postpone) },
    creationLookup: { lookUp: gate(ports.creationLookup.lookUp) },
    usages: { counted: usages.counted, read: gate(usages.read), take: gate(usages.take), free: gate(usages.free) },
    byteUsages: {
      read: gate(ports.byteUsages.read),
      take: gate(ports.byteUsages.take),
      giveBack: gate(ports.byteUsages.giveBack),
    },
    estimateUsages: {
      counted: ports.estimateUsages.counted,
      read: gate(ports.estimateUsages.read),
      take: gate(ports.estimateUsages.take),
    },
    reviews: { list: gate(reviews.list), noteReview: gate(reviews.noteReview) },
    holders: { readHolders: gate(ports.holders.readHolders) },
    announcements: { announce: gate(ports.announcements.announce) },
    catalogue: {
      find: gate(catalogue.find),
      list: gate(catalogue.list),
      listVariants: gate(catalogue.listVariants),
      isIndexed: gate(catalogue.isIndexed),
      findPostings: gate(catalogue.findPostings),
      findPostingsOf: gate(catalogue.findPostingsOf),
      readKeptDays: gate(catalogue.readKeptDays),
    },
    contents: {
      readContents: gate(contents.readContents),
      readSourceRefs: gate(contents.readSourceRefs),
      readFilter: gate(contents.readFilter),
      readNppesMonths: gate(contents.readNppesMonths),
    },
    fileLists: { write: gate(ports.fileLists.write) },
    listFaults: { read: gate(ports.listFaults.read), note: gate(ports.listFaults.note) },
    countListFault: ports.countListFault,
    queries: { start: gate(queries.start), look: gate(queries.look), stop: gate(queries.stop) },
    workflow: { start: gate(workflow.start), isRunning: gate(workflow.isRunning) },
    resultFiles: {
      addressOf: resultFiles.addressOf,
      readManifest: gate(resultFiles.readManifest),
      readFooter: gate(resultFiles.readFooter),
      write: gate(resultFiles.write),
      removeBelow: gate(resultFiles.removeBelow),
    },
    signer: { sign: gate(signer.sign) },
    log,
    countEnd,
  }
}
