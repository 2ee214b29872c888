/** Runs a round of an auditor over everything, however long it takes. */
import type { Context } from '../../../src/context.ts'
import type { Task } from '../../../src/tasks/runner.ts'
import type { TestService } from '../test-service.ts'

/** The alarms that it raised. A context that is copied has an auditor that has raised none yet. */
export const alarmsOfRound = async (
  { logLines }: TestService,
  auditor: Task,
  context: Context,
): Promise<string[]> => {
  const before = logLines.length
  const { now } = performance
  const stopped = performance.now()
  performance.now = () => stopped
  await auditor.run(context).finally(() => (performance.now = now))
  return logLines.slice(before).filter((line) => line.includes('"integrity_failure"'))
}
