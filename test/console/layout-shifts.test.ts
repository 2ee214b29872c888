/** What is on a page stays in its place while the rest of it comes (console 5: CLS). */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { skipsLong } from '../support/console/browser.ts'
import { busyOffice } from '../support/console/busy-office.ts'
import { openPage, routesOf } from '../support/console/routes.ts'
import { type RunningConsole, startConsole } from '../support/console/running-console.ts'

const started = skipsLong === undefined ? await startConsole() : ({} as RunningConsole)
const { context, at, complaints } = started
const office = skipsLong === undefined ? await busyOffice(started) : {}

/** A page may move by this, as Core Web Vitals count it: area times distance, of the window. */
const mostShift = 0.02

/** Each shift and what has moved, apart from those that somebody has caused. */
const watch = `
  globalThis.shifts = []
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput, sources } of list.getEntries()) {
      if (hadRecentInput) continue
      const moved = sources.map(({ node, previousRect: before, currentRect: after }) => {
        const { nodeName = '#text', textContent = '' } = node ?? {}
        return nodeName + ' "' + textContent.slice(0, 30) + '" from ' + before.y + ' to ' + after.y
      })
      shifts.push({ value, moved })
    }
  }).observe({ type: 'layout-shift', buffered: true })`

interface Shift {
  value: number
  moved: string[]
}

describe('layout shifts', { skip: skipsLong ?? false }, () => {
  before(() => context.addInitScript(watch))

  for (const width of [1440, 390])
    test(`no page moves by more than ${mostShift} while it loads, at ${width} px`, async (t) => {
      const tooMuch: string[] = []
      for (const [name, path] of Object.entries(routesOf(office))) {
        const page = await context.newPage()
        await page.setViewportSize({ width, height: 900 })
        await openPage(page, name, at(path))
        const shifts = await page.evaluate<Shift[]>('shifts')
        await page.close()
        const sum = shifts.reduce((total, { value }) => total + value, 0)
        t.diagnostic(`${name} ${sum.toFixed(4)}`)
        const what = shifts.flatMap(({ moved }) => moved).join('; ')
        if (sum > mostShift) tooMuch.push(`${name} moves by ${sum.toFixed(3)}: ${what}`)
      }
      assert.deepEqual(tooMuch, [])
      assert.deepEqual(complaints, [])
    })

  test('what is loaded once it is seen hides nothing beside it', async () => {
    const page = await context.newPage()
    await page.setViewportSize({ width: 1440, height: 700 })
    await page.goto(at('/settings'))
    await page.getByRole('table', { name: 'Members' }).getByRole('row').last().waitFor()
    const beside = page.getByRole('region', { name: 'Organization' })
    const [isShown, isLater] = [
      await beside.isVisible(),
      await page.evaluate<boolean>(`document.querySelector('[aria-label="Quotas"]') === null`),
    ]
    await page.close()
    assert.deepEqual({ isShown, isLater }, { isShown: true, isLater: true })
  })
})
