/** Replays the vectors through the Kotlin bindings against the service of `service.py`: `Replay VECTORS`. */

import com.google.gson.JsonObject
import com.google.gson.JsonParser
import java.io.IOException
import java.net.URI
import java.net.http.HttpClient
import java.net.http.HttpRequest
import java.net.http.HttpResponse
import java.nio.file.Files
import java.nio.file.Path
import java.nio.file.StandardCopyOption
import java.security.SecureRandom
import java.time.Duration
import kotlin.system.exitProcess
import lacre.license.*

const val APP = "com.example.sinistros"

class Watch : Clock {
    var wallMs = System.currentTimeMillis()
    var monotonicMs = 77_000L

    override fun now() = Moment(wallMs, monotonicMs.toULong())

    fun pass(ms: Long) {
        wallMs += ms
        monotonicMs += ms
    }
}

/** A file by Java's own means. */
class Store(private val path: Path) : RecordStore {
    var isBroken = false

    override fun read(): ByteArray? = if (Files.exists(path)) Files.readAllBytes(path) else null

    override fun write(record: ByteArray) {
        if (isBroken) throw StoreException.Failed("broken")
        val unnamed = path.resolveSibling("record.new")
        Files.write(unnamed, record)
        Files.move(unnamed, path, StandardCopyOption.ATOMIC_MOVE)
    }

    override fun erase() {
        Files.deleteIfExists(path)
    }

    fun tamper() {
        val record = read() ?: return
        val place = SecureRandom().nextInt(record.size)
        record[place] = (record[place].toInt() xor 1).toByte()
        Files.write(path, record)
    }
}

/** HTTP by Java's own means, over a network that may be slow by the device's clock. */
class Network(private val clock: Watch) : Transport {
    private val http = HttpClient.newBuilder().followRedirects(HttpClient.Redirect.NEVER).version(HttpClient.Version.HTTP_1_1).build()
    var isLate = false
    @Volatile var asked = 0

    override fun post(url: String, body: ByteArray, timeoutMs: ULong): Response {
        asked += 1
        if (isLate) clock.pass(timeoutMs.toLong())
        val request = HttpRequest.newBuilder(URI(url))
            .timeout(Duration.ofMillis(timeoutMs.toLong()))
            .header("content-type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofByteArray(body))
            .build()
        try {
            val answer = http.send(request, HttpResponse.BodyHandlers.ofByteArray())
            return Response(answer.statusCode().toUShort(), answer.body())
        } catch (error: IOException) {
            throw TransportException.Failed(error.toString())
        }
    }
}

class Device(private val platform: Platform, folder: Path) {
    private val http = HttpClient.newHttpClient()
    private val recordKey = ByteArray(32).also { SecureRandom().nextBytes(it) }
    private val clock = Watch()
    private val store = Store(folder.resolve("record"))
    private val network = Network(clock)
    private var scene = call(System.getenv("REPLAY_SERVICE") + "/scenes", JsonObject())
    private var client = start()

    private fun start() = LicenseClient(platform, recordKey, store, network, clock)

    private fun call(url: String, body: JsonObject): JsonObject {
        val request = HttpRequest.newBuilder(URI(url)).POST(HttpRequest.BodyPublishers.ofString(body.toString())).build()
        val answer = http.send(request, HttpResponse.BodyHandlers.ofString())
        check(answer.statusCode() == 200) { "$url: ${answer.statusCode()}" }
        return JsonParser.parseString(answer.body()).asJsonObject
    }

    fun play(step: JsonObject) {
        fun text(name: String) = step[name].asString
        fun milliseconds() = step["seconds"].asLong * 1000
        fun change(name: String, member: String) {
            val body = JsonObject().apply { add(member, step[member]) }
            scene = call(scene["license_url"].asString + "/$name", body)
        }
        val integrity = DeviceIntegrity.valueOf(if (step.has("integrity")) text("integrity").uppercase() else "INTACT")
        when (val what = text("do")) {
            "configure" -> {
                val license = if (step.has("license")) text("license") else "first"
                val key = scene["keys"].asJsonObject[license].asString
                val app = if (step.has("app")) text("app") else APP
                expect(step) { Permit(client.configure(scene["license_url"].asString, key, app), null) }
            }
            "begin" -> expect(step) { client.beginCapture(integrity) }
            "finish" -> expect(step) { client.finishCapture(integrity) }
            "reset" -> client.reset()
            "network_available" -> client.networkAvailable()
            "restart" -> {
                client.close()
                clock.monotonicMs = 1_000
                client = start()
            }
            "tamper" -> store.tamper()
            "wait" -> clock.pass(milliseconds())
            "set_clock" -> clock.wallMs += milliseconds()
            "network" -> {
                network.isLate = text("state") == "late"
                change("network", "state")
            }
            "license" -> change("license", "change")
            "store" -> store.isBroken = text("state") == "broken"
            else -> error("no step $what")
        }
    }

    private fun expect(step: JsonObject, ask: () -> Permit) {
        val asked = network.asked
        val found = JsonObject()
        try {
            val permit = ask()
            found.addProperty("expect", "permit")
            permit.risk?.let { found.addProperty("risk", it.name) }
            if (step.has("capture_resolution")) found.addProperty("capture_resolution", permit.policy.captureResolution.name)
        } catch (error: LicenseException) {
            found.addProperty("expect", error.code())
            if (error is LicenseException.Invalid) found.addProperty("reason", error.reason.name)
        }
        found.addProperty("asked", network.asked > asked)
        val expected = JsonObject()
        for (name in listOf("expect", "capture_resolution", "risk", "reason", "asked")) {
            if (step.has(name)) expected.add(name, step[name])
        }
        check(found == expected) { "found $found" }
    }
}

fun main(arguments: Array<String>) {
    var played = 0
    val files = Files.list(Path.of(arguments.single())).use { it.filter { file -> file.toString().endsWith(".json") }.sorted().toList() }
    for (file in files) {
        for (vector in JsonParser.parseString(Files.readString(file)).asJsonObject["vectors"].asJsonArray.map { it.asJsonObject }) {
            val folder = Files.createTempDirectory("replay")
            val platform = Platform.valueOf(vector["platform"].asString.uppercase())
            val device = Device(platform, folder)
            vector["steps"].asJsonArray.forEachIndexed { number, step ->
                try {
                    device.play(step.asJsonObject)
                } catch (error: Exception) {
                    System.err.println("${file.fileName}: ${vector["name"].asString}: step $number, $step: $error")
                    exitProcess(1)
                }
            }
            folder.toFile().deleteRecursively()
            played += 1
        }
    }
    check(played > 100) { played }
    println("Kotlin: $played vectors")
    // The HTTP client's threads would keep the process.
    exitProcess(0)
}
