import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;

/**
 * A resident javac. An order is a line: the words of javac's command line, with tabs between them. So is an answer: the
 * status, then what javac printed, then the path and the content of each file that it wrote; texts and bytes in base 64.
 */
public final class Compile {
    private static final Path OUT = Path.of("/tmp/out");

    private Compile() {}

    public static void main(String[] arguments) throws IOException {
        JavaCompiler javac = ToolProvider.getSystemJavaCompiler();
        BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        System.out.println("ready");
        for (String order = orders.readLine(); order != null; order = orders.readLine()) {
            System.out.println(answer(javac, order.split("\t")));
        }
    }

    private static String answer(JavaCompiler javac, String[] words) throws IOException {
        empty();
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        StringBuilder answer = new StringBuilder().append(javac.run(null, text, text, words));
        answer.append('\t').append(coded(text.toByteArray()));
        for (Path file : written()) {
            answer.append('\t').append(OUT.relativize(file)).append('\t').append(coded(Files.readAllBytes(file)));
        }
        return answer.toString();
    }

    private static String coded(byte[] bytes) {
        return Base64.getEncoder().encodeToString(bytes);
    }

    private static List<Path> written() throws IOException {
        try (Stream<Path> found = Files.walk(OUT)) {
            return found.filter(Files::isRegularFile).toList();
        }
    }

    private static void empty() throws IOException {
        Files.createDirectories(OUT);
        try (Stream<Path> found = Files.walk(OUT)) {
            for (Path path : found.sorted(Comparator.reverseOrder()).filter(path -> !path.equals(OUT)).toList()) {
                Files.delete(path);
            }
        }
    }
}
